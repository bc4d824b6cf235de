import { section, whole } from '../../kernel/config/shape.ts';

export const skillKeys = {
  skills: section(
    {
      max_per_account: whole(100, [0, 100_000], 'Skills that an account may keep.'),
    },
    'Skills.',
  ),
};
