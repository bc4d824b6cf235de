import {
  type StoreTools,
  ledgerFolderOf,
  repairLedger,
  openAccountsTools,
  checkUsageDays,
  createUsage,
} from '../accounts/feature.ts';
import type { Config } from '../../kernel/config.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import { openDatabase } from '../../kernel/store/database.ts';
import { schemaVersion } from '../../kernel/store/migrate.ts';
import { migrations } from '../../kernel/store/migrations/index.ts';
import { exportDatabase, importDatabase } from '../../kernel/store/transfer.ts';

const mebibyte = 1_048_576;

/** The store of a configuration for commands, beside servers that may be running on it. */
export async function openStoreTools(
  { database: url, dataFolder, family, keys, accounts, ledger }: Config,
  { isBulk = false }: { readonly isBulk?: boolean } = {},
): Promise<StoreTools> {
  const database = await openDatabase(url, { dataFolder, isBulk });
  try {
    const tools = await openAccountsTools({
      database,
      family,
      storageQuotaBytes: accounts.storageMb * mebibyte,
      configuredAccounts: keys.map(({ account }) => account),
      clock: systemClock,
      ids: randomIds,
    });
    const usage = createUsage(database.db);
    return {
      administration: tools.administration,
      database,
      schema: schemaVersion(migrations),
      repairLedger: () =>
        repairLedger({
          folder: ledgerFolderOf(dataFolder),
          name: randomIds.uuid(),
          clock: systemClock,
          keepMs: ledger.keepDays * 86_400_000,
          store: (rows) => usage.insertBatch(rows),
          checkDays: () => checkUsageDays(database.db),
        }),
      exportTo: (output) => exportDatabase(database.db, output),
      importFrom: (input) => importDatabase(database.db, input),
      async close() {
        await tools.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
