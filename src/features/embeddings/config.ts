import { Type } from 'typebox';
import type { FeatureConfig } from '../../kernel/config.ts';
import { filePath, section, upstreams, lacksUpstreams } from '../../kernel/config/shape.ts';

export const embeddingKeys = {
  embeddings: section(
    {
      engine: Type.Enum(['auto', 'baseline', 'local', 'openai-compatible'], {
        default: 'auto',
        description:
          'What computes embeddings. auto takes the best that is configured, at least the baseline.',
      }),
      upstreams: upstreams('Servers of the engine openai-compatible, tried in order.'),
      path: filePath('GGUF file of the engine local; null looks in the data folder.'),
    },
    'Embeddings.',
  ),
};

export const embeddingConfig: FeatureConfig = {
  keys: embeddingKeys,
  check({ embeddings: { engine, upstreams } }, fail) {
    if (engine === 'openai-compatible' && upstreams.length === 0)
      fail('embeddings.engine', lacksUpstreams('embeddings', engine));
  },
};
