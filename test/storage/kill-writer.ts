/**
 * A process to be killed: writes without end and names each id on stdout as soon as its write was
 * acknowledged. `single-…` are lone statements, `pair-…` an account and its key in one transaction.
 */
import { writeSync } from 'node:fs';

import { hashSecret, randomIds } from '../../src/kernel/kit/ids.ts';
import { createAccounts } from '../../src/features/accounts/store/accounts.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createKeys } from '../../src/features/accounts/store/keys.ts';

const [dataFolder = ''] = process.argv.slice(2);
const { db } = await openDatabase('sqlite', { dataFolder });

/** Synchronous, so that nothing acknowledged is still in a buffer of this process when it dies. */
function acknowledge(id: string): void {
  writeSync(1, `${id}\n`);
}

async function writeSingles(): Promise<never> {
  for (;;) {
    const id = `single-${randomIds.uuid()}`;
    await createAccounts(db).ensure({ id, name: id.repeat(20), createdAtMs: 1, creditsPurchasedUsd: 1 });
    acknowledge(id);
  }
}

async function writePairs(): Promise<never> {
  for (;;) {
    const id = `pair-${randomIds.uuid()}`;
    await db.transaction().execute(async (transaction) => {
      await createAccounts(transaction).ensure({ id, name: id, createdAtMs: 1, creditsPurchasedUsd: 1 });
      const key = { hash: hashSecret(id), accountId: id, kind: 'token', name: null } as const;
      await createKeys(transaction).insertIfAbsent({ ...key, last4: id.slice(-4), createdAtMs: 1 });
    });
    acknowledge(id);
  }
}

await Promise.all([writePairs(), ...Array.from({ length: 8 }, writeSingles)]);
