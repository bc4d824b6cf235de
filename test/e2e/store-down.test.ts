import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { exampleBodies } from '../support/examples.ts';
import { createClient } from '../support/http.ts';
import { postgresSkipReason, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../storage/temporary.ts';
import { inspected, openLiveMemory } from './live-memory.ts';
import { spawnServer } from './server-process.ts';

/** How long the store is away. The guarantee is stated for 60 s; a shorter time keeps the usual run short. */
const downS = Number(process.env['NESTOR_STORE_DOWN_S'] ?? 5);
const rootKey = 'root-key-of-a-test-0123456789';
const decision = JSON.stringify(exampleBodies['createDecision']);
/** What a server that keeps 20 KB of a request, as a connection or its buffers, passes within the shortest time. */
const growthMaxMiB = 30;

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
    const database = await postgres.createStore('without docs');
    const data = temporaryFolder(t);
    const server = await spawnServer(data, {
      NESTOR_DATABASE_URL: database,
      NESTOR_ROOT_KEY: rootKey,
      NESTOR_RATE_LIMITS_ENABLED: 'false',
      NESTOR_LOG_LEVEL: 'error',
      ...inspected,
    });
    t.after(() => server.end('SIGKILL'));
    const memory = await openLiveMemory(server);
    const send = createClient(server.url);
    t.after(() => send.close());
    const post = (path: string, key: string, body: string) =>
      send({ method: 'POST', path, headers: { authorization: `Bearer ${key}` }, body });
    const generated = await post('/generate_auth_token', rootKey, '{}');
    const { auth_token: token } = JSON.parse(generated.text) as { auth_token: string };

    const answered = new Set<string>();
    const phases: Record<string, Record<string, Heard>> = {};
    let phase = 'before';
    const heardIn = (which: string, name: string) =>
      phases[which]?.[name]?.statuses ?? new Map<number, number>();
    /** Resolves once each caller has been answered so often in a phase that begins now. */
    const during = async (which: string, times: number): Promise<void> => {
      phase = which;
      const countOf = (name: string) =>
        heardIn(which, name)
          .values()
          .reduce((a, b) => a + b, 0);
      await until(() => Object.keys(callers).every((name) => countOf(name) >= times));
    };
    /** Resolves once those who need the store have been answered so, ten times each. */
    const untilAnswered = (unknown: number, generating: number) =>
      until(() =>
        Object.entries({ unknown, generating }).every(
          ([name, status]) => (heardIn(phase, name).get(status) ?? 0) >= 10,
        ),
      );
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
    await during('before', 50);
    const before = await memory.measure();
    // Between two phases answers may be of either kind.
    phase = 'going';
    await postgres.stop();
    await untilAnswered(503, 503);
    await Promise.all([during('away', 20), pause(downS * 1_000)]);
    const away = await memory.measure();
    phase = 'coming';
    await postgres.start();
    await untilAnswered(401, 200);
    assert.equal((await send({ path: '/readyz' })).status, 200);
    await during('after', 20);
    over.abort();
    await Promise.all(lanes);
    const after = await memory.measure();
    // A server waits at its end for who looks into it.
    await memory[Symbol.asyncDispose]();

    const only = (which: string, name: string) => [...heardIn(which, name).keys()];
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
    const held = [before, away, after].map((mib) => mib.toFixed(1)).join(', ');
    assert.ok(Math.max(away, after) - before < growthMaxMiB, `MiB before, while it was away, after: ${held}`);

    assert.equal(await server.end('SIGTERM'), 0, server.stderr());
    const store = await openDatabase(database, { dataFolder: data });
    const rows = await store.db.selectFrom('usage').select('request_id').execute();
    await store.close();
    const kept = new Set(rows.map((row) => row.request_id));
    assert.equal(kept.size, rows.length);
    assert.deepEqual([answered.difference(kept).size, kept.difference(answered).size], [0, 0]);

    const answers = Object.entries(phases['away'] ?? {}).map(
      ([name, { statuses, slowestMs }]) =>
        `${name} ${[...statuses].map(([status, count]) => `${count} x ${status}`).join()} (slowest ${Math.round(slowestMs)} ms)`,
    );
    t.diagnostic(`away for ${downS} s: ${answers.join('; ')}`);
    t.diagnostic(
      `live memory before, while it was away, after: ${held} MiB; ${rows.length} rows, none lost or twice`,
    );
  },
);

test(
  'while the store is away new runs are 503, and one that began before is answered and kept when it is back',
  { skip: postgresSkipReason() },
  async (t) => {
    const postgres = await startPostgres();
    t.after(() => postgres.close());
    const upstream = await startUpstream(t);
    const data = temporaryFolder(t);
    const providers = [
      { name: 'held', type: 'openai-compatible', base_url: `${upstream.url}/v1`, models: ['talker'] },
    ];
    writeFileSync(`${data}/nestor.yaml`, JSON.stringify({ providers }));
    const server = await spawnServer(data, {
      NESTOR_DATABASE_URL: await postgres.createStore('without docs'),
      NESTOR_ROOT_KEY: rootKey,
      NESTOR_RATE_LIMITS_ENABLED: 'false',
      NESTOR_SANDBOX_RUNNER: 'off',
      NESTOR_DETECT: 'false',
      NESTOR_LOG_LEVEL: 'error',
    });
    t.after(() => server.end('SIGKILL'));
    const send = createClient(server.url);
    t.after(() => send.close());
    const headers = { authorization: `Bearer ${rootKey}` };
    const run = (input: string, store: boolean) =>
      send({
        method: 'POST',
        path: '/v1/agent',
        headers,
        body: JSON.stringify({ model: 'held/talker', input, store }),
      });
    const begun = run('hold', true);
    const release = await upstream.held;
    await postgres.stop();
    for (const store of [true, false]) assert.equal((await run('at once', store)).status, 503);
    release();
    await postgres.start();
    const { status, text } = await begun;
    assert.equal(status, 200, text);
    const told = JSON.parse(text) as { id: string; status: string; output: unknown };
    assert.equal(told.status, 'completed', text);
    for (;;) {
      const stored = await send({ path: `/v1/agent/${told.id}`, headers });
      // The store is still coming back, or the end of the run is still on its way to it.
      if (stored.status === 503) continue;
      assert.equal(stored.status, 200, stored.text);
      const kept = JSON.parse(stored.text) as { status: string; output: unknown };
      if (kept.status === 'in_progress') continue;
      assert.deepEqual([kept.status, kept.output], ['completed', told.output]);
      return;
    }
  },
);

interface Upstream {
  readonly url: string;
  /** Resolves once the model was asked to hold its answer; what it resolves to lets it answer. */
  readonly held: Promise<() => void>;
}

/** A model server that answers at once, and holds its answer where the prompt says so. */
async function startUpstream(t: TestContext): Promise<Upstream> {
  const held = Promise.withResolvers<() => void>();
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') return response.end('{"object":"list","data":[{"id":"talker"}]}');
      let body = '';
      for await (const chunk of request) body += String(chunk);
      if (body.includes('hold')) await new Promise<void>((release) => held.resolve(release));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'talker' };
      const chunk = (delta: object, finish_reason: string | null) =>
        response.write(
          `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
        );
      chunk({ content: 'Answered.' }, null);
      chunk({}, 'stop');
      return response.end('data: [DONE]\n\n');
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held: held.promise };
}
