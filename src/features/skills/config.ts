import { Type } from 'typebox';
import { section } from '../../kernel/config/shape.ts';

export const skillKeys = {
  skills: section(
    {
      max_per_account: Type.Integer({
        minimum: 0,
        maximum: 100_000,
        default: 100,
        description: 'Skills that an account may keep.',
      }),
    },
    'Skills.',
  ),
};
