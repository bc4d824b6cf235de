import { retentionDays, section, whole } from '../../kernel/config/shape.ts';

export const verificationKeys = {
  verification: section(
    {
      retention_days: retentionDays(30, 'How long receipts are kept.'),
      receipts_per_account: whole(
        1_000,
        [0, 100_000],
        'Receipts that are kept of an account; the oldest go first.',
      ),
    },
    'Verification of answers against the sources that they cite.',
  ),
};
