import type { FeatureConfig } from '../../kernel/config.ts';
import { engineOf, filePath, lacksUpstreams, section, upstreams } from '../../kernel/config/shape.ts';
import type { EmbeddingEngineDeclaration } from './define-engine.ts';

/** The keys, with the names of the engines. */
export const embeddingKeys = (names: readonly string[]) => ({
  embeddings: section(
    {
      engine: engineOf(['auto', ...names], {
        default: 'auto',
        description: 'What computes embeddings. auto takes the best that is configured, at least words.',
      }),
      upstreams: upstreams('Servers of the engine openai-compatible, tried in order.'),
      path: filePath(
        'GGUF file of the engine local, or folder or graph of the engine onnx; null looks in the data folder.',
      ),
    },
    'Embeddings.',
  ),
});

export const embeddingConfig = (engines: readonly EmbeddingEngineDeclaration[]): FeatureConfig => ({
  keys: embeddingKeys(engines.map(({ name }) => name)),
  check({ embeddings: { engine, upstreams } }, fail) {
    const isForwarding = engines.find(({ name }) => name === engine)?.needsUpstreams === true;
    if (isForwarding && upstreams.length === 0)
      fail('embeddings.engine', lacksUpstreams('embeddings', engine));
  },
});
