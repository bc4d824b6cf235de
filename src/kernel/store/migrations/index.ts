import type { Migration } from 'kysely/migration';

import { accounts } from './0001-accounts.ts';
import { metering } from './0002-metering.ts';
import { jobs } from './0003-jobs.ts';
import { skills } from './0004-skills.ts';
import { responses } from './0005-responses.ts';
import { corpus } from './0006-corpus.ts';
import { ledger } from './0007-ledger.ts';
import { shares } from './0008-shares.ts';
import { jobWaits } from './0009-jobs.ts';
import { corpusAttempts } from './0011-corpus-attempts.ts';
import { store } from './0012-store.ts';
import { frontierOrder } from './0013-frontier-order.ts';
import { deciders } from './0014-deciders.ts';
import { examples } from './0015-examples.ts';
import { batches } from './0016-batches.ts';
import { drift } from './0017-drift.ts';
import { conversations } from './0018-conversations.ts';
import { receipts } from './0019-receipts.ts';
import { conversationLocks } from './0020-conversation-locks.ts';
import { exampleVectors } from './0021-example-vectors.ts';
import { accountIndex } from './0022-account-index.ts';
import { accountRemoval } from './0023-account-removal.ts';
import { durations } from './0024-durations.ts';
import { indexChanges } from './0025-index-changes.ts';

/**
 * Every step from an empty store to the current schema, in order of name. A released step is never changed, renamed or
 * removed: existing stores have run it. Steps use the schema builder, so they fit both stores.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-metering': metering,
  '0003-jobs': jobs,
  '0004-skills': skills,
  '0005-responses': responses,
  '0006-corpus': corpus,
  '0007-ledger': ledger,
  '0008-shares': shares,
  '0009-jobs': jobWaits,
  '0011-corpus-attempts': corpusAttempts,
  '0012-store': store,
  '0013-frontier-order': frontierOrder,
  '0014-deciders': deciders,
  '0015-examples': examples,
  '0016-batches': batches,
  '0017-drift': drift,
  '0018-conversations': conversations,
  '0019-receipts': receipts,
  '0020-conversation-locks': conversationLocks,
  '0021-example-vectors': exampleVectors,
  '0022-account-index': accountIndex,
  '0023-account-removal': accountRemoval,
  '0024-durations': durations,
  '0025-index-changes': indexChanges,
};
