import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sql } from 'kysely';
import type { RunsOptions } from '../../src/features/agent/runs.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { createResponses, type RunStore } from '../../src/features/agent/store/responses.ts';
import { slow, startAgent, type TestAgent } from '../support/agent.ts';
import { until } from '../support/until.ts';
import { parseEvents, type Json } from '../support/agent-wire.ts';
import { finish, says, scriptedModels, text } from '../support/models.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import type { TestScope } from '../support/server.ts';

const models = () =>
  scriptedModels({ 'lab/a': says([text('I am Nestor.')], finish()), 'lab/slow': slow(10_000) });
const body = { input: 'x', model: 'lab/a' };

async function openStore(): Promise<{ database: Database; store: RunStore }> {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  return { database, store: createResponses(database.db) };
}

async function start(t: TestScope, database: Database, runs: Partial<RunsOptions>): Promise<TestAgent> {
  const agent = await startAgent(t, { models: models(), database, runs });
  t.after(async () => {
    await agent.close();
    await database.close();
  });
  return agent;
}

async function get(agent: TestAgent, id: unknown): Promise<Json> {
  return (await (await agent.send('GET', `/v1/agent/${String(id)}`)).json()) as Json;
}

async function replay(agent: TestAgent, id: unknown) {
  const response = await agent.send('GET', `/v1/agent/${String(id)}?stream=true`);
  return parseEvents(await response.text());
}

/** A store that refuses the ends of runs as long as it is told to; `answer` says what becomes of a refused one. */
function refusing(store: RunStore) {
  const state = { refuses: true, attempts: 0, isWritten: false };
  const faulty: RunStore = {
    ...store,
    async end(end) {
      state.attempts++;
      if (state.refuses && state.isWritten) await store.end(end);
      if (state.refuses) throw new Error('the disk is full');
      return store.end(end);
    },
  };
  return { state, faulty };
}

const codeOf = (response: Json) => (response['error'] as Json | null)?.['code'];

suite('the beginning of a stored run', () => {
  test('is in the store from event 0, however long its insert takes', async (t) => {
    const { database, store } = await openStore();
    const inserted = Promise.withResolvers<void>();
    let waiting = '';
    let flushes = 0;
    const late: RunStore = {
      ...store,
      async insert(run, lease) {
        if (run.input === '"late"') {
          waiting = run.id;
          await inserted.promise;
        }
        return store.insert(run, lease);
      },
      async appendEvents(events, expiresAtMs) {
        await store.appendEvents(events, expiresAtMs);
        // Lines of the other run show that what is told by now has had its turn.
        if (waiting !== '' && ++flushes === 3) inserted.resolve();
      },
    };
    const agent = await start(t, database, { store: late });
    await agent.ask({ input: 'x', model: 'lab/slow', background: true });
    const told = await agent.ask({ ...body, input: 'late' });
    assert.equal(told['id'], waiting);
    const events = await replay(agent, waiting);
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      events.map((_, at) => at),
    );
    assert.equal(events[0]?.event, 'response.created');
  });

  test(
    'is there on PostgreSQL as well, where an insert waits and what reads the table does not',
    { skip: postgresSkipReason() },
    async (t) => {
      const postgres = await sharePostgres();
      t.after(() => postgres.close());
      const url = await postgres.createStore();
      const open = async () => start(t, await openDatabase(url, { dataFolder: '/nowhere' }), {});
      const [one, two] = [await open(), await open()];
      const { id: other } = await one.ask({ input: 'x', model: 'lab/slow', background: true });
      const flushes = async () => (await two.runs.store.readEvents(String(other), -1)).length;
      const asked = await two.database.db.transaction().execute(async (transaction) => {
        await sql`lock table responses in share mode`.execute(transaction);
        const waiting = [1, 2, 3].map(() => one.ask({ ...body, background: true }));
        const before = await flushes();
        await until(async () => (await flushes()) >= before + 3);
        return waiting;
      });
      for (const { id } of await Promise.all(asked)) {
        const events = await replay(two, id);
        assert.equal(events[0]?.data.sequence_number, 0);
      }
    },
  );
});

suite('the end of a stored run', () => {
  test('is told as completed only when the store has it', async (t) => {
    const { database, store } = await openStore();
    const { state, faulty } = refusing(store);
    const agent = await start(t, database, { store: faulty });
    let isTold = false;
    const asked = agent.stream(body).finally(() => (isTold = true));
    await until(() => state.attempts >= 3);
    assert.equal(isTold, false);
    state.refuses = false;
    const { response } = await asked;
    assert.equal(response['status'], 'completed');
    assert.deepEqual(await get(agent, response['id']), response);
    assert.equal(agent.errors.length, 1, 'a store that is away is one line of the log');
  });

  test('is told as failed when the store stays away, and so it is stored later', async (t) => {
    const { database, store } = await openStore();
    const { state, faulty } = refusing(store);
    const agent = await start(t, database, { store: faulty, holdMs: 100 });
    const { events, response } = await agent.stream(body);
    assert.deepEqual([response['status'], codeOf(response)], ['failed', 'internal_error']);
    assert.match(String((response['error'] as Json)['message']), /could not be stored/);
    assert.equal((response['output'] as readonly Json[]).length, 1, 'what was told is kept');
    assert.deepEqual(await get(agent, response['id']), response, 'while the store is away');
    assert.deepEqual(await replay(agent, response['id']), events);
    state.refuses = false;
    await until(() => agent.runs.running() === 0);
    assert.deepEqual(await get(agent, response['id']), response, 'when the store has it');
    assert.deepEqual(await replay(agent, response['id']), events);
  });

  test('is what was told, also when a write that looked lost was not', async (t) => {
    for (const holdMs of [30_000, 100]) {
      const { database, store } = await openStore();
      const { state, faulty } = refusing(store);
      state.isWritten = true;
      const agent = await start(t, database, { store: faulty, holdMs });
      const asked = agent.stream(body);
      if (holdMs === 30_000) {
        await until(() => state.attempts > 0);
        state.refuses = false;
      }
      const { events, response } = await asked;
      assert.equal(response['status'], holdMs === 100 ? 'failed' : 'completed');
      state.refuses = false;
      await until(() => agent.runs.running() === 0);
      assert.deepEqual(await get(agent, response['id']), response);
      assert.deepEqual(await replay(agent, response['id']), events);
    }
  });

  test('is failed when the process dies before the store has it', async (t) => {
    const { database, store } = await openStore();
    const { state, faulty } = refusing(store);
    const first = await start(t, database, { store: faulty, holdMs: 100 });
    const { response } = await first.stream(body);
    assert.equal(response['status'], 'failed');
    const second = await start(t, database, { isAlone: true });
    await until(async () => (await get(second, response['id']))['status'] !== 'in_progress');
    const told = await get(second, response['id']);
    assert.deepEqual([told['status'], codeOf(told)], ['failed', 'server_restarted']);
    state.refuses = false;
  });

  test('waits for the store as long as it takes where nobody waits for the run', async (t) => {
    const { database, store } = await openStore();
    const { state, faulty } = refusing(store);
    const agent = await start(t, database, { store: faulty, holdMs: 1 });
    const { id } = await agent.ask({ ...body, background: true });
    await until(() => state.attempts >= 3);
    assert.equal((await get(agent, id))['status'], 'in_progress');
    state.refuses = false;
    await until(() => agent.runs.running() === 0);
    assert.equal((await get(agent, id))['status'], 'completed');
  });

  test('is the one that the store has, when another process has ended the run', async (t) => {
    const { database, store } = await openStore();
    const ending: RunStore = {
      ...store,
      async end(end) {
        await store.end({
          ...end,
          status: 'failed',
          response: JSON.stringify({ ...(JSON.parse(end.response) as object), status: 'failed' }),
        });
        return store.end(end);
      },
    };
    const agent = await start(t, database, { store: ending });
    const { response } = await agent.stream(body);
    assert.deepEqual([response['status'], codeOf(response)], ['failed', 'server_restarted']);
    assert.equal((await get(agent, response['id']))['status'], 'failed');
  });

  test('is told at once by a server that stops, and never as completed', async (t) => {
    const { database, store } = await openStore();
    const { state, faulty } = refusing(store);
    const agent = await start(t, database, { store: faulty });
    const asked = agent.stream(body);
    await until(() => state.attempts > 0);
    agent.stop(new Error('the server is stopping'));
    const { response } = await asked;
    assert.equal(response['status'], 'failed');
    state.refuses = false;
    await agent.close();
    const [row] = await database.db.selectFrom('responses').select('status').execute();
    assert.equal(row?.status, 'failed');
  });

  test('keeps no new run out of memory: beyond a bound runs are refused until the store takes ends', async (t) => {
    const { database, store } = await openStore();
    const { state, faulty } = refusing(store);
    const agent = await start(t, database, { store: faulty, holdMs: 1, unkeptBytesMax: 1 });
    await agent.ask(body);
    const refused = await agent.send('POST', '/v1/agent', body);
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    state.refuses = false;
    await until(() => agent.runs.running() === 0);
    // In the background: a caller that waits is told of a failure where the store takes longer than it is waited for.
    const { id } = await agent.ask({ ...body, background: true });
    await until(async () => (await get(agent, id))['status'] === 'completed');
  });
});
