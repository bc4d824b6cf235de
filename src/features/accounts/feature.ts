import { timingSafeEqual } from 'node:crypto';
import type { ConfigOf, Config } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { hashSecret } from '../../kernel/kit/ids.ts';
import { accountConfig, type accountKeys } from './config.ts';
import type { Administration } from './administration.ts';
import type { LedgerState } from './ledger/meter.ts';
import { reserveRequestRow, reserveRunRow, type RunSlot } from './ledger/reports.ts';
import { createAdmit, openLimits, type Limits } from './limits.ts';
import { openAccounts } from './open-accounts.ts';
import type { StorageQuota } from './storage-quota.ts';
import type { Tokens } from './tokens.ts';
import { accountOperations } from './wire/account/operation.ts';
import { adminOperations } from './wire/admin/operation.ts';
import { tokenOperations } from './wire/tokens/operation.ts';
import type { StoreTools } from './commands/store-command.ts';

export { readAll, storeCommand, sharedUsage, lookForStore } from './commands/store-command.ts';
export type { RowCounts, StoreTools, StoreValues, StoreWork } from './commands/store-command.ts';
export { readPendingRows } from './ledger/inspect.ts';
export { ledgerFolderOf } from './ledger/journal.ts';
export { repairLedger } from './ledger/repair.ts';
export { toUsageRow } from './ledger/reports.ts';
export { openAccountsTools } from './open-accounts.ts';
export { type Page, type PageRequest, readPage } from './page.ts';
export { checkUsageDays } from './store/usage-check.ts';
export { createUsage } from './store/usage.ts';
export type { UsageRow } from './store/usage-row.ts';
export { toList, toPageRequest } from './wire/convert.ts';
export { Time, listOf, page } from './wire/schema.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof accountKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly tokens: Tokens;
    readonly administration: Administration;
    /** Asked before anything is done that leaves something in the store. */
    readonly storageQuota: StorageQuota;
    /** What the ledger has not handed on, and what it could not. */
    readonly ledger: () => LedgerState;
    /** Room for what a run of the agent costs, taken before it begins. Throws a Fault where there is none. */
    readonly reserveRunRow: () => RunSlot;
    readonly limiter: Pick<Limits, 'redis'>;
    /** The root key that this start made and stored by hash; null when there was one. Shown once, by the caller. */
    readonly newRootKey: string | null;
  }

  interface Settings {
    /** Whether there is an admin key, and so an administration. */
    readonly admin: boolean;
  }

  interface Overrides {
    /** Longest wait for buckets that processes share, before this one counts alone. Unit: ms. */
    readonly limitsDeadlineMs?: number;
  }
}

declare module '../../kernel/commands/command.ts' {
  interface CommandContext {
    /** Opens the store. `isBulk`: everything is read or written in one transaction, however long it takes. */
    openStore(config: Config, options?: { readonly isBulk?: boolean }): Promise<StoreTools>;
  }
}

/** Whether a key is the admin key, compared in constant time. */
function createAdminCheck(adminKey: string): (key: string) => boolean {
  const expected = Buffer.from(hashSecret(adminKey), 'hex');
  return (key) => timingSafeEqual(Buffer.from(hashSecret(key), 'hex'), expected);
}

/** Who may call, how often, and what it costs. */
export const feature = defineFeature({
  name: 'accounts',
  config: accountConfig,
  gives: [
    'gate',
    'tokens',
    'administration',
    'storageQuota',
    'ledger',
    'reserveRunRow',
    'limiter',
    'newRootKey',
  ],
  settings: ({ adminKey }) => ({ admin: adminKey !== null }),
  async open({ config, kernel, operations, overrides: { limitsDeadlineMs: deadlineMs }, keep }) {
    const { database, metrics, log, clock } = kernel;
    const accounts = await keep(openAccounts(config, kernel));
    const { meter, authenticate, tokens, administration, storageQuota, newRootKey } = accounts;
    metrics?.watchLedger(() => meter.state());
    const limiter = await keep(openLimits(config, { operations, database, clock, log, deadlineMs }));
    return {
      gate: {
        authenticate,
        ...(config.adminKey !== null && { isAdmin: createAdminCheck(config.adminKey) }),
        admit: createAdmit(limiter),
        reserveBilling: () => reserveRequestRow({ meter, clock }),
      },
      tokens,
      administration,
      storageQuota,
      ledger: () => meter.state(),
      reserveRunRow: () => reserveRunRow({ meter, clock }),
      limiter,
      newRootKey,
    };
  },
  operations: (settings) => [...tokenOperations, ...accountOperations, ...adminOperations(settings)],
});
