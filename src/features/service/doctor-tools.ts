import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { errorMessage } from '../../kernel/kit/errors.ts';
import { openSandbox } from '../sandbox/feature.ts';
import type { Config } from '../../kernel/config.ts';
import { systemClock, type Clock } from '../../kernel/kit/clock.ts';
import { openDatabase, type Database } from '../../kernel/store/database.ts';
import { toSqlitePath } from '../../kernel/store/store-address.ts';

/** The state of the store, found without changing anything in it. */
interface StoreState {
  /** `absent`: the first start makes it. `old`: of an earlier version. */
  readonly state: 'ok' | 'absent' | 'old' | 'broken';
  readonly store: 'sqlite' | 'postgres';
  /** Duration of a write that is rolled back, in ms; null where none was tried. */
  readonly writeMs: number | null;
  /** Why it is broken, for the operator. */
  readonly reason: string | null;
  /** Documents of the index by the engine that made their vectors; null for those without. */
  readonly indexed?: readonly { readonly embeddedBy: string | null; readonly documents: number }[];
  /** Version of pgvector; empty where it could be installed, null where the server lacks it. PostgreSQL only. */
  readonly pgvector?: string | null;
}

interface TrialOptions {
  readonly clock: Clock;
  /** Of each server. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Looks at the store, the sandbox and the servers of a configuration, for `nestor doctor`. */
export const doctorTools = {
  lookAtStore,
  /** Asks every search engine and upstream once. Loaded apart: other commands on the configuration call no server. */
  async tryServers(config: Config, options: TrialOptions) {
    const { tryEngines } = await import('../search/feature.ts');
    const { tryUpstreams } = await import('./doctor-upstreams.ts');
    const [engines, upstreams] = await Promise.all([
      tryEngines(config, options),
      tryUpstreams(config, options),
    ]);
    return { engines, upstreams };
  },
  /** Tries the runners one after the other. */
  async lookAtSandbox({ sandbox }: Config) {
    const opened = openSandbox({ config: sandbox, runsMax: 1, waitingMax: 0 });
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
    const indexed = await countIndexed(database);
    const writeMs = await tryToWrite(database);
    const found = { state: 'ok', store, writeMs, reason: null, indexed } as const;
    return store === 'sqlite' ? found : { ...found, pgvector: await findPgvector(database) };
  } catch (error) {
    const reason = errorMessage(error);
    const state = reason.includes('older than this version') ? 'old' : 'broken';
    return { state, store, writeMs: null, reason };
  } finally {
    await database?.close();
  }
}

function countIndexed({ reader }: Database) {
  return reader
    .selectFrom('corpus_documents')
    .select((eb) => ['embedded_by as embeddedBy', eb.fn.countAll<number>().as('documents')])
    .groupBy('embedded_by')
    .orderBy('embedded_by')
    .execute();
}

async function findPgvector({ reader }: Database): Promise<string | null> {
  const { rows } = await sql<{
    readonly version: string | null;
  }>`select coalesce(installed_version, '') as version
    from pg_available_extensions where name = 'vector'`.execute(reader);
  return rows[0]?.version ?? null;
}

class RolledBack extends Error {}

/** Creates a table in a transaction that is rolled back. Resolves to how long that took, in ms. */
async function tryToWrite({ db }: Database): Promise<number> {
  const startedMs = systemClock.monotonic();
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`create table nestor_doctor (n integer)`.execute(transaction);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return systemClock.monotonic() - startedMs;
}
