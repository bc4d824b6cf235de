import { retentionDays, section, whole } from '../../kernel/config/shape.ts';

export const jobKeys = {
  async: section(
    {
      workers: whole(8, [1, 64], 'Jobs that run at the same time, at most half of them of one account.'),
      retention_days: retentionDays(7, 'How long jobs and their results are kept.'),
      give_up_after_s: whole(
        3_600,
        [1, 604_800],
        'How long a job whose backend is away waits for it before it fails. Unit: s.',
      ),
    },
    'Asynchronous chat completions.',
  ),
};
