import { Type } from 'typebox';
import { retentionDays, section } from '../../kernel/config/shape.ts';

export const jobKeys = {
  async: section(
    {
      workers: Type.Integer({
        minimum: 1,
        maximum: 64,
        default: 8,
        description: 'Jobs that run at the same time, at most half of them of one account.',
      }),
      retention_days: retentionDays(7, 'How long jobs and their results are kept.'),
      give_up_after_s: Type.Integer({
        minimum: 1,
        maximum: 604_800,
        default: 3_600,
        description: 'How long a job whose backend is away waits for it before it fails. Unit: s.',
      }),
    },
    'Asynchronous chat completions.',
  ),
};
