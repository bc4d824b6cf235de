import { section, whole } from '../../kernel/config/shape.ts';

export const indexKeys = {
  index: section(
    {
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
