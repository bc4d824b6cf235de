import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { sql } from 'kysely';

import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { roundsOf } from '../support/rounds.ts';
import { toArguments } from '../support/typescript-process.ts';
import { temporaryFolder } from './temporary.ts';

const rounds = roundsOf(3, 20);
const creations = roundsOf(4, 10);
const writer = fileURLToPath(new URL('./kill-writer.ts', import.meta.url));

interface KillPlan {
  /** From the first acknowledgement, or from the start of the process. */
  readonly from: 'acknowledgement' | 'start';
  readonly delayMs: number;
}

/** Runs the writer, kills it, and returns what it acknowledged. */
async function writeAndKill(dataFolder: string, { from, delayMs }: KillPlan): Promise<readonly string[]> {
  const child = spawn(process.execPath, [...toArguments(writer), dataFolder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  child.stdout.on('data', (data: Buffer) => {
    if (output === '' && from === 'acknowledgement') setTimeout(() => child.kill('SIGKILL'), delayMs);
    output += data.toString();
  });
  if (from === 'start') setTimeout(() => child.kill('SIGKILL'), delayMs);
  await once(child, 'close');
  assert.equal(child.signalCode, 'SIGKILL', errors);
  // A last line without its end was cut off by the kill.
  return output.split('\n').slice(0, -1);
}

async function checkStore({ db }: Database, acknowledged: ReadonlySet<string>): Promise<void> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  assert.deepEqual(rows, [{ integrity_check: 'ok' }]);
  const accounts = await db.selectFrom('accounts').select('id').execute();
  const found = new Set(accounts.map((account) => account.id));
  const lost = acknowledged.difference(found);
  assert.equal(lost.size, 0, `lost of ${acknowledged.size}: ${[...lost].slice(0, 3).join()}`);
  const keys = await db.selectFrom('keys').select('account_id').execute();
  const pairs = [...found].filter((id) => id.startsWith('pair-'));
  assert.deepEqual(new Set(keys.map((key) => key.account_id)), new Set(pairs));
}

async function checkAfterKill(dataFolder: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const database = await openDatabase('sqlite', { dataFolder });
  try {
    await checkStore(database, acknowledged);
  } finally {
    await database.close();
  }
}

test(`what was acknowledged survives kill -9, over ${rounds} rounds on one file`, async (context) => {
  if (process.platform === 'win32') {
    context.skip('Windows has no SIGKILL');
    return;
  }
  const dataFolder = join(temporaryFolder(context), 'data');
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const delayMs = Math.random() * 150;
    const ids = await writeAndKill(dataFolder, { from: 'acknowledgement', delayMs });
    assert.ok(ids.length > 0);
    for (const id of ids) acknowledged.add(id);
    await checkAfterKill(dataFolder, acknowledged);
  }
  context.diagnostic(`${acknowledged.size} acknowledged, none lost`);
});

test('a process killed while it creates the store leaves one that opens', async (context) => {
  if (process.platform === 'win32') {
    context.skip('Windows has no SIGKILL');
    return;
  }
  const folder = temporaryFolder(context);
  for (let round = 0; round < creations; round++) {
    const dataFolder = join(folder, String(round));
    // The file comes into being 150 to 300 ms after the start, depending on the machine.
    const ids = await writeAndKill(dataFolder, { from: 'start', delayMs: 100 + (round * 250) / creations });
    await checkAfterKill(dataFolder, new Set(ids));
  }
});
