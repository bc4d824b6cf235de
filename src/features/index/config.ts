import type { FeatureConfig } from '../../kernel/config.ts';
import { oneOf, section, whole } from '../../kernel/config/shape.ts';

export const indexKeys = {
  index: section(
    {
      engine: oneOf(['auto', 'sqlite', 'postgres'], {
        default: 'auto',
        description:
          'Where the index stands: `auto` is wherever `database` is; `sqlite` and `postgres` refuse to start elsewhere.',
      }),
      account_documents: whole(
        1_000,
        [0, 1_000_000],
        'Documents of its own that an account may have in the index.',
      ),
      account_mb: whole(50, [0, 100_000], 'Text of its own that an account may have in the index, in MiB.'),
    },
    'The search index.',
  ),
};

export const indexConfig: FeatureConfig = {
  keys: indexKeys,
  check({ index: { engine }, database }, fail) {
    const store = /^postgres(?:ql)?:/.test(database) ? 'postgres' : 'sqlite';
    if (engine !== 'auto' && engine !== store)
      fail('index.engine', `is ${engine}, while database is ${store}; allowed: auto, ${store}`);
  },
};
