/**
 * A process to be killed: writes to PostgreSQL without end and names each id on stdout as soon as its write was
 * acknowledged: `usage N` and `purchase N`. Begins at a number that the process before may have
 * written already.
 */
import { writeSync } from 'node:fs';

import { createAccounts } from '../../../src/features/accounts/store/accounts.ts';
import { openDatabase } from '../../../src/kernel/store/database.ts';
import { createPurchases } from '../../../src/features/accounts/store/purchases.ts';
import { createUsage } from '../../../src/features/accounts/store/usage.ts';
import { usageRow } from '../suite-metering.ts';

const [url = '', from = '0'] = process.argv.slice(2);
/** A loop that the kill does not find must not fill the disk. */
const roundsMax = 100_000;
const { db } = await openDatabase(url, { dataFolder: '/nowhere' });
await createAccounts(db).ensure({ id: 'acme', name: 'Acme', createdAtMs: 1, creditsPurchasedUsd: 0 });

/** Synchronous, so that nothing acknowledged is still in a buffer of this process when it dies. */
function acknowledge(ids: readonly string[]): void {
  writeSync(1, `${ids.join('\n')}\n`);
}

async function writeUsage(lane: number): Promise<void> {
  for (let batch = Number(from); batch < Number(from) + roundsMax; batch++) {
    const ids = Array.from({ length: 20 }, (_, row) => `usage ${lane}.${batch}.${row}`);
    await createUsage(db).insertBatch(ids.map((id) => usageRow(id)));
    acknowledge(ids);
  }
}

async function writePurchases(lane: number): Promise<void> {
  for (let n = Number(from); n < Number(from) + roundsMax; n++) {
    const id = `purchase ${lane}.${n}`;
    await createPurchases(db).add({ id, accountId: 'acme', amountUsd: 0.1, note: '', createdAtMs: 1 });
    acknowledge([id]);
  }
}

await Promise.all([0, 1, 2].flatMap((lane) => [writeUsage(lane), writePurchases(lane)]));
