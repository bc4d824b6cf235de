/**
 * A throwaway PostgreSQL: made by the test file that needs it, gone afterwards. Nothing of the machine's own
 * server is touched; only its programs are used.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  globSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Client } from 'pg';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { freePort } from './free-port.ts';
import { leaveDocsOut, type Kind } from './made-store.ts';
import { closeAtEnd } from './process-end.ts';

export interface TestPostgresOptions {
  /** True for tests that kill the server. Default false: some ten times as fast. */
  readonly fsync?: boolean;
  /** Further lines of `name=value` for the server. */
  readonly settings?: readonly string[];
  /** True for one with the extension pgvector, from the folder in NESTOR_TEST_PGVECTOR. Default false. */
  readonly hasVectors?: boolean;
  /** Prepares the data folder before the server starts; for certificates. */
  readonly prepare?: (folder: string, own: (path: string) => void) => void;
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

export interface TestPostgres {
  readonly port: number;
  /** An empty database, as a url with a password in it. */
  createDatabase(): Promise<string>;
  /** The same with the tables of a store, which are made once; `without docs` for servers of `spawnServer`. */
  createStore(kind?: Kind): Promise<string>;
  /** Ends the server: its sessions are told, or, with SIGKILL, nobody is. Stays ended until `start`. */
  stop(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** One that others use as well, to which `close` does nothing. */
export type SharedPostgres = Pick<TestPostgres, 'port' | 'createDatabase' | 'createStore' | 'close'>;

/** Ends a hang. Unit: ms. */
const hangMs = 120_000;

/** Is in every url of a test server, so that tests can look for it where it must not be. */
export const testPassword = 'hunter2-not-to-be-told';

/** Why tests with PostgreSQL cannot run here; false when they can, or when NESTOR_TEST_ALL=1 forbids to skip. */
export function postgresSkipReason(): string | false {
  if (process.env['NESTOR_TEST_ALL'] === '1' || findBinaries() !== null) return false;
  return 'no PostgreSQL: neither initdb on the PATH nor /usr/lib/postgresql/*/bin';
}

/** The same for tests with pgvector. */
export function vectorsSkipReason(): string | false {
  if (process.env['NESTOR_TEST_ALL'] === '1' || findWithVectors() !== null) return false;
  return 'no PostgreSQL with pgvector: NESTOR_TEST_PGVECTOR names no folder with one';
}

export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const binaries = options.hasVectors === true ? prepareWithVectors() : findBinaries();
  if (binaries === null) throw new Error('no PostgreSQL: neither initdb on the PATH nor /usr/lib/postgresql');
  const owner = findOwner();
  const folder = mkdtempSync(join(tmpdir(), 'nestor-postgres-'));
  const own = (path: string): void => {
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid);
  };
  own(folder);
  const data = join(folder, 'data');
  execFileSync('cp', ['-a', prepareCluster(binaries, owner), data]);
  options.prepare?.(data, own);
  const port = await freePort();
  const args = toArguments(data, folder, port, options);
  let child: ChildProcess | null = null;
  let guard: ChildProcess | null = null;
  let databases = 0;
  let wasKilled = false;

  async function start(): Promise<void> {
    // The sessions of a killed server notice it within a moment, and until then no other one starts.
    for (const endAt = performance.now() + hangMs; ; await pause(50)) {
      try {
        return await startOnce();
      } catch (error) {
        if (!wasKilled || performance.now() > endAt) throw error;
      }
    }
  }

  async function startOnce(): Promise<void> {
    child = spawn(join(binaries ?? '', 'postgres'), args, { ...owner, cwd: folder, stdio: 'ignore' });
    guard = spawnGuard(child);
    await untilReady(port, child);
  }

  async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    // Its own guard: by the time that it has exited, the next server may be there with another.
    const [running, itsGuard] = [child, guard];
    child = null;
    guard = null;
    if (running === null) return;
    wasKilled = signal === 'SIGKILL';
    if (running.exitCode === null && running.signalCode === null) {
      const exited = once(running, 'exit');
      running.kill(signal);
      await exited;
    }
    itsGuard?.stdin?.end();
  }

  const urlOf = (name: string) => `postgres://postgres:${testPassword}@127.0.0.1:${port}/${name}`;

  async function create(template: string): Promise<string> {
    const name = `d${++databases}`;
    await withAdmin(port, (admin) => admin.query(`create database ${name} template ${template}`));
    return urlOf(name);
  }

  async function makeStore(kind: Kind): Promise<string> {
    const name = `made_${kind.replace(' ', '_')}`;
    await withAdmin(port, (admin) => admin.query(`create database ${name}`));
    await (await openDatabase(urlOf(name), { dataFolder: '/nowhere' })).close();
    if (kind === 'without docs') await leaveDocsOut(urlOf(name));
    return name;
  }

  await start();
  const made = new Map<Kind, Promise<string>>();
  return {
    port,
    createDatabase: () => create('template1'),
    async createStore(kind = 'bare') {
      let template = made.get(kind);
      if (template === undefined) made.set(kind, (template = makeStore(kind)));
      return create(await template);
    },
    stop,
    start,
    async close() {
      await stop('SIGQUIT');
      // After SIGKILL or SIGQUIT the last sessions may still be writing.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

let shared: Promise<TestPostgres> | null = null;

/**
 * For files that neither stop nor set it and make few databases, which go with it: one for all such files of a process. To
 * start and end one costs 0.75 s of CPU, and a store's tables 0.25 (measured); to drop a database takes longer than to
 * make one.
 */
export async function sharePostgres(): Promise<SharedPostgres> {
  if (shared === null) {
    const own = startPostgres();
    const isShared = closeAtEnd(async () => {
      await (await own).close();
    });
    if (!isShared) return own;
    shared = own;
  }
  return { ...(await shared), close: () => Promise.resolve() };
}

/**
 * An initialised data folder, made once and kept: copying it costs a tenth of the CPU time of initdb.
 */
function prepareCluster(binaries: string, owner: Owner): string {
  const version = execFileSync(join(binaries, 'initdb'), ['--version'], { encoding: 'utf8' });
  const kept = join(tmpdir(), `nestor-cluster-${version.replace(/[^\w.]+/g, '-')}${owner.uid ?? 'own'}`);
  if (existsSync(join(kept, 'PG_VERSION'))) return kept;
  const made = mkdtempSync(`${kept}-`);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(made, owner.uid, owner.gid);
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', made, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...owner, cwd: made, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  moveTo(made, kept);
  return kept;
}

/** Of the programs in the wheel that `.ci/run` unpacks; they find their libraries from there. */
const programsInWheel = 'pgserver/pginstall/bin';

/** The folder of that wheel; null without one. */
function findWithVectors(): string | null {
  const folder = process.env['NESTOR_TEST_PGVECTOR'] ?? '';
  return folder !== '' && isExecutable(join(folder, programsInWheel, 'postgres')) ? folder : null;
}

/** A copy that every user may run: the folder of a test's user may be closed to the one that PostgreSQL runs as. */
function prepareWithVectors(): string | null {
  const folder = findWithVectors();
  if (folder === null) return null;
  const kept = join(tmpdir(), `nestor-postgres-with-vectors-${process.getuid?.() ?? 'own'}`);
  if (!existsSync(kept)) {
    const made = mkdtempSync(`${kept}-`);
    execFileSync('cp', ['-a', `${folder}/.`, made]);
    chmodSync(made, 0o755);
    moveTo(made, kept);
  }
  return join(kept, programsInWheel);
}

/** Two processes may make one at the same time; the first one to rename its own wins. */
function moveTo(made: string, kept: string): void {
  try {
    renameSync(made, kept);
  } catch {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Ends the server when this process is killed and can no longer do it. */
function spawnGuard(server: ChildProcess): ChildProcess {
  const script = 'cat > /dev/null; kill -QUIT "$0" 2> /dev/null';
  const guard = spawn('sh', ['-c', script, String(server.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  return guard;
}

function toArguments(data: string, folder: string, port: number, options: TestPostgresOptions): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'max_connections=150',
    'log_min_messages=panic',
    ...(options.fsync === true ? [] : ['fsync=off', 'full_page_writes=off']),
    ...(options.settings ?? []),
  ];
  return ['-D', data, '-p', String(port), '-k', folder, ...settings.flatMap((setting) => ['-c', setting])];
}

/** The folder of the programs; null without any. The newest version where there are several. */
function findBinaries(): string | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const packaged = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => numberIn(b) - numberIn(a));
  const candidates = [...packaged, ...onPath];
  return (
    candidates.find((folder) => ['initdb', 'postgres'].every((name) => isExecutable(join(folder, name)))) ??
    null
  );
}

function numberIn(path: string): number {
  return Number(/\d+/.exec(path)?.[0] ?? 0);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root; then it runs as the first of the users that may not be root. */
function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { stdio: 'pipe' })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // The next one.
    }
  }
  throw new Error('neither a user postgres nor nobody, and PostgreSQL does not run as root');
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  const endAt = performance.now() + hangMs;
  for (;;) {
    try {
      await withAdmin(port, (admin) => admin.query('select 1'));
      return;
    } catch (error) {
      const ended = child.exitCode ?? child.signalCode;
      if (ended !== null) throw new Error(`postgres ended with ${ended}`, { cause: error });
      if (performance.now() > endAt) throw error;
      await pause(20);
    }
  }
}

async function withAdmin(port: number, work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  admin.on('error', () => {});
  try {
    await admin.connect();
    await work(admin);
  } finally {
    await admin.end().catch(() => {});
  }
}
