import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import type { DoctorTools, StoreState } from './commands/doctor-parts.ts';
import { openSandbox } from '../sandbox/feature.ts';
import type { Config } from '../../kernel/config.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { openDatabase, toSqlitePath, type Database } from '../../kernel/store/database.ts';

export const doctorTools: DoctorTools = {
  lookAtStore,
  async lookAtSandbox({ sandbox }) {
    const opened = openSandbox({ runner: sandbox.runner, runsMax: 1, waitingMax: 0 });
    try {
      return await opened.settled;
    } finally {
      await opened.close();
    }
  },
};

async function lookAtStore({ database: url, dataFolder }: Config): Promise<StoreState> {
  const store = url.startsWith('sqlite') ? 'sqlite' : 'postgres';
  const path = toSqlitePath(url, dataFolder);
  // Opening would make the file, and looking must not.
  if (path !== null && !existsSync(path)) return { state: 'absent', store, writeMs: null, reason: null };
  let database: Database | null = null;
  try {
    database = await openDatabase(url, { dataFolder, migrates: false });
    return { state: 'ok', store, writeMs: await tryToWrite(database), reason: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const state = reason.includes('older than this version') ? 'old' : 'broken';
    return { state, store, writeMs: null, reason };
  } finally {
    await database?.close();
  }
}

class TakenBack extends Error {}

/** A table that is made and taken back in one transaction. Resolves to how long it took. */
async function tryToWrite({ db }: Database): Promise<number> {
  const startedMs = systemClock.monotonic();
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`create table nestor_doctor (n integer)`.execute(transaction);
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
  return systemClock.monotonic() - startedMs;
}
