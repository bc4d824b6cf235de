import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/storage/database.ts';
import { exampleBodies } from '../support/examples.ts';
import { createClient } from '../support/http.ts';
import { postgresSkipReason, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../storage/temporary.ts';
import { residentMiB, spawnServer } from './server-process.ts';

/** How long the store is away. The guarantee is stated for 60 s; a shorter time keeps the usual run short. */
const downS = Number(process.env['NESTOR_STORE_DOWN_S'] ?? 5);
const rootKey = 'root-key-of-a-test-0123456789';
const decision = JSON.stringify(exampleBodies['createDecision']);
/** What a server that leaks a row, a promise or a socket per request would pass within the time. */
const growthMaxMiB = 200;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Answers of one kind of caller in one phase. */
interface Heard {
  readonly statuses: Map<number, number>;
  slowestMs: number;
}

test(
  'while the store is away known keys are answered, unknown ones are 503, and the ledger is complete afterwards',
  { skip: postgresSkipReason() },
  async (t) => {
    const postgres = await startPostgres();
    t.after(() => postgres.close());
    const database = await postgres.createDatabase();
    const data = temporaryFolder(t);
    const server = await spawnServer(data, {
      NESTOR_DATABASE_URL: database,
      NESTOR_ROOT_KEY: rootKey,
      NESTOR_RATE_LIMITS_ENABLED: 'false',
      NESTOR_LOG_LEVEL: 'error',
    });
    t.after(() => server.end('SIGKILL'));
    const send = createClient(server.url);
    t.after(() => send.close());
    const post = (path: string, key: string, body: string) =>
      send({ method: 'POST', path, headers: { authorization: `Bearer ${key}` }, body });
    const generated = await post('/generate_auth_token', rootKey, '{}');
    const { auth_token: token } = JSON.parse(generated.text) as { auth_token: string };

    const answered = new Set<string>();
    const phases: Record<string, Record<string, Heard>> = {};
    let phase = 'before';
    const over = new AbortController();
    let guess = 0;
    const callers = {
      root: () => post('/v1/decisions', rootKey, decision),
      token: () => post('/v1/decisions', token, decision),
      unknown: () => post('/v1/decisions', `svc-guess-${guess++}`, decision),
      generating: () => post('/generate_auth_token', rootKey, '{}'),
    };
    const call = async (name: keyof typeof callers): Promise<void> => {
      const heard = ((phases[phase] ??= {})[name] ??= { statuses: new Map(), slowestMs: 0 });
      const from = performance.now();
      const { status, headers } = await callers[name]();
      heard.slowestMs = Math.max(heard.slowestMs, performance.now() - from);
      heard.statuses.set(status, (heard.statuses.get(status) ?? 0) + 1);
      if (status === 200 && name !== 'generating') answered.add(String(headers['x-request-id']));
    };
    const lanes = (['root', 'root', 'token', 'token', 'unknown', 'generating'] as const).map(async (name) => {
      // The last two are there to be refused; they leave the machine to the others.
      const pauseMs = name === 'root' || name === 'token' ? 2 : 20;
      while (!over.signal.aborted) {
        await call(name);
        await pause(pauseMs);
      }
    });
    const memory: number[] = [];
    const watching = (async () => {
      while (!over.signal.aborted) {
        memory.push(residentMiB(server.pid) ?? 0);
        await pause(250);
      }
    })();

    await pause(2_000);
    const memoryBefore = Math.max(...memory);
    // Between two phases answers may be of either kind.
    phase = 'going';
    await postgres.stop();
    await pause(1_500);
    phase = 'away';
    await pause(downS * 1_000);
    phase = 'coming';
    await postgres.start();
    const ready = async () => (await send({ path: '/readyz' })).status;
    while ((await ready()) !== 200) await pause(50);
    await pause(1_000);
    phase = 'after';
    await pause(1_000);
    over.abort();
    await Promise.all([...lanes, watching]);

    const only = (which: string, name: string) => [...(phases[which]?.[name]?.statuses.keys() ?? [])];
    assert.deepEqual([only('away', 'root'), only('away', 'token')], [[200], [200]]);
    assert.deepEqual([only('away', 'unknown'), only('away', 'generating')], [[503], [503]]);
    assert.deepEqual([only('after', 'root'), only('after', 'token')], [[200], [200]]);
    assert.deepEqual([only('after', 'unknown'), only('after', 'generating')], [[401], [200]]);
    for (const [name, callersHeard] of Object.entries(phases)) {
      assert.equal(
        callersHeard['unknown']?.statuses.get(200),
        undefined,
        `an unknown key was let in ${name}`,
      );
    }
    const memoryMax = Math.max(...memory);
    assert.ok(memoryMax - memoryBefore < growthMaxMiB, `from ${memoryBefore} to ${memoryMax} MiB`);

    assert.equal(await server.end('SIGTERM'), 0, server.stderr());
    const store = await openDatabase(database, { dataFolder: data });
    const rows = await store.db.selectFrom('usage').select('request_id').execute();
    await store.close();
    const kept = new Set(rows.map((row) => row.request_id));
    assert.equal(kept.size, rows.length);
    assert.deepEqual([answered.difference(kept).size, kept.difference(answered).size], [0, 0]);

    const away = Object.entries(phases['away'] ?? {}).map(
      ([name, { statuses, slowestMs }]) =>
        `${name} ${[...statuses].map(([status, count]) => `${count} x ${status}`).join()} (slowest ${Math.round(slowestMs)} ms)`,
    );
    t.diagnostic(`away for ${downS} s: ${away.join('; ')}`);
    t.diagnostic(
      `memory ${memoryBefore} MiB before, at most ${memoryMax} MiB; ${rows.length} rows, none lost or twice`,
    );
  },
);
