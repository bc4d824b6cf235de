import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { keys, lastingAnswer, searching, slow, startAgent, turns, type TestAgent } from '../support/agent.ts';
import { until } from '../support/until.ts';
import { assertResponse, parseEvents, readRun, type Json, type WireEvent } from '../support/agent-wire.ts';
import { call, finish, says, scriptedModels, text } from '../support/models.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { found, scriptedSearch } from '../support/tools.ts';

const search = scriptedSearch((query) => [found(`https://${query}.example/`)]);
const other = { headers: { authorization: `Bearer ${keys.other}` } };

async function get(agent: TestAgent, id: unknown): Promise<Json> {
  const response = await agent.send('GET', `/v1/agent/${String(id)}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Json;
}

async function ended(agent: TestAgent, id: unknown): Promise<Json> {
  await until(async () => (await get(agent, id))['status'] !== 'in_progress');
  return get(agent, id);
}

async function replay(agent: TestAgent, id: unknown, after?: number | string): Promise<readonly WireEvent[]> {
  const query = after === undefined ? '' : `&starting_after=${after}`;
  const response = await agent.send('GET', `/v1/agent/${String(id)}?stream=true${query}`);
  const wire = await response.text();
  assert.equal(response.status, 200, wire);
  return parseEvents(wire);
}

suite('resuming', () => {
  test('at any of 200 points, while it runs or after, sees exactly the missing events', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/slow': slow(300, 1) }) });
    const { id } = await agent.ask({ input: 'x', model: 'lab/slow', background: true });
    const points = Array.from({ length: 100 }, () => randomInt(-1, 300));
    const early = await Promise.all(points.map((point) => replay(agent, id, point)));
    const all = await replay(agent, id);
    const { response } = readRun(all);
    assert.equal(response['status'], 'completed');
    for (const [at, point] of points.entries())
      assert.deepEqual(early[at], all.slice(point + 1), `at ${point}`);
    for (let n = 0; n < 100; n++) {
      const point = randomInt(-1, all.length);
      assert.deepEqual(await replay(agent, id, point), all.slice(point + 1), `at ${point}`);
    }
    assert.deepEqual(await replay(agent, id, all.length - 1), []);
  });

  test('a client that drops and comes back has the whole stream', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/slow': slow(40) }) });
    const leave = new AbortController();
    const body = JSON.stringify({ input: 'x', model: 'lab/slow', background: true, stream: true });
    const response = await agent.send('POST', '/v1/agent', body, { signal: leave.signal });
    const reader = response.body?.getReader();
    assert.ok(reader);
    let wire = '';
    while (wire.length < 3_000) wire += Buffer.from((await reader.read()).value ?? []).toString();
    leave.abort();
    const seen = parseEvents(wire.slice(0, wire.lastIndexOf('\n\n') + 2));
    const [first] = seen;
    assert.ok(first);
    const { id } = first.data['response'] as Json;
    const rest = await replay(agent, id, seen.length - 1);
    const { response: whole, deltas } = readRun([...seen, ...rest]);
    assert.equal(whole['status'], 'completed');
    assert.equal(deltas.length, 40);
    assert.deepEqual(await get(agent, id), whole);
  });

  test('has an end: an hour after the run, and beyond its last event', async (t) => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': says([text('a')], finish()) }),
      clock,
    });
    const { id } = await agent.ask({ input: 'x', model: 'lab/a' });
    const all = await replay(agent, id);
    const refused = async (after: number | string) => {
      const response = await agent.send('GET', `/v1/agent/${String(id)}?stream=true&starting_after=${after}`);
      assert.equal(response.status, 400);
      const { error } = (await response.json()) as { error: Json };
      assert.deepEqual(error, {
        message: 'stream cursor expired or invalid',
        type: 'invalid_request',
        code: 'cursor_expired',
        param: 'starting_after',
      });
    };
    for (const after of [all.length, -2, 'x', '1.5', '']) await refused(after);
    now += 3_600_000;
    await refused(0);
    assert.equal((await get(agent, id))['status'], 'completed', 'a plain GET still answers');
    assert.ok((await agent.runs.store.forget(now)) === 0);
    assert.deepEqual(await agent.runs.store.readEvents(String(id), -1), []);
    now += 30 * 86_400_000;
    assert.equal((await agent.send('GET', `/v1/agent/${String(id)}`)).status, 404);
    assert.equal(await agent.runs.store.forget(now), 1);
  });
});

suite('ending a run', () => {
  test('cancel ends it; once over, or unknown, or foreign, it cannot be cancelled', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/slow': slow(10_000) }) });
    const { id } = await agent.ask({ input: 'x', model: 'lab/slow', background: true });
    const path = `/v1/agent/${String(id)}/cancel`;
    await until(() => agent.runs.running() === 1);
    assert.equal((await agent.send('POST', path, '{}', other)).status, 404);
    const response = await agent.send('POST', path);
    assert.deepEqual(await response.json(), { response_id: id, status: 'cancelling' });
    const told = await ended(agent, id);
    assertResponse(told);
    assert.deepEqual(told['error'], {
      message: 'The run was cancelled.',
      code: 'cancelled',
      type: 'cancelled',
    });
    const again = await agent.send('POST', path, '{}');
    assert.equal(again.status, 400);
    const { error } = (await again.json()) as { error: Json };
    assert.deepEqual([error['code'], error['message']], ['already_finished', 'response is already finished']);
    assert.equal((await agent.send('POST', '/v1/agent/resp_x/cancel', '{}')).status, 404);
    assert.equal(readRun(await replay(agent, id)).response['status'], 'failed');
    assert.ok((agent.records[0]?.billing.outputTokens ?? 0) > 0, 'what was told is billed');
  });

  test('a client that leaves ends it, unless it runs in the background', async (t) => {
    const lasting = lastingAnswer();
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/slow': lasting.script }) });
    for (const more of [{ stream: true }, {}]) {
      const leave = new AbortController();
      const read = lasting.nextRead();
      const body = JSON.stringify({ input: 'x', model: 'lab/slow', ...more });
      const asked = agent.send('POST', '/v1/agent', body, { signal: leave.signal }).catch(() => {});
      await read;
      leave.abort();
      await asked;
      await until(() => agent.runs.running() === 0);
    }
    await until(() => agent.records.length === 2);
    for (const { billing } of agent.records) assert.equal(billing.model, 'lab/slow');
  });

  test('delete cancels what runs, and nothing of it is left', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/slow': slow(10_000) }) });
    const { id } = await agent.ask({ input: 'x', model: 'lab/slow', background: true });
    const path = `/v1/agent/${String(id)}`;
    assert.equal((await agent.send('DELETE', path, undefined, other)).status, 404);
    const response = await agent.send('DELETE', path);
    assert.deepEqual(await response.json(), { id, object: 'response', deleted: true });
    await until(() => agent.runs.running() === 0);
    assert.equal((await agent.send('GET', path)).status, 404);
    assert.equal((await agent.send('DELETE', path)).status, 404);
    const left = await agent.database.db.selectFrom('response_events').selectAll().execute();
    assert.deepEqual(left, []);
  });

  test('a run that takes too long fails with timeout', async (t) => {
    const models = scriptedModels({ 'lab/slow': slow(10_000) });
    const agent = await startAgent(t, { models, agent: { timeoutMs: 50 } });
    const { error } = await agent.ask({ input: 'x', model: 'lab/slow' });
    assert.equal((error as Json)['code'], 'timeout');
  });

  test('a server that stops tells streams in their own form', async (t) => {
    const lasting = lastingAnswer();
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/slow': lasting.script }) });
    const read = lasting.nextRead();
    const streamed = agent.stream({ input: 'x', model: 'lab/slow' });
    await read;
    agent.stop(new Fault('service_unavailable', 'The server is stopping.'));
    const { response } = await streamed;
    assert.equal((response['error'] as Json)['code'], 'server_restarted');
  });
});

suite('restart', () => {
  test('runs of a process that has gone are failed, with the items that they had', async (t) => {
    const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
    t.after(() => database.close());
    const script = turns(
      says(call('c', 'web_search', '{"queries":["kea"]}'), finish('tool-calls')),
      slow(10_000),
    );
    const first = await startAgent(t, {
      models: scriptedModels({ 'lab/a': script }),
      tools: { search },
      database,
    });
    const { id } = await first.ask({
      input: 'x',
      model: 'lab/a',
      tools: [{ type: 'web_search' }],
      background: true,
    });
    // The item is stored, and not only that the run began.
    await until(async () =>
      (await first.runs.store.readEvents(String(id), -1)).some(
        ({ lines }) => lines.includes('response.output_item.done') && lines.includes('search_results'),
      ),
    );
    // As after a kill: the store is as it is, and another process begins on it alone.
    const second = await startAgent(t, {
      models: scriptedModels({ 'lab/a': slow(1) }),
      database,
      runs: { isAlone: true },
    });
    const told = await ended(second, id);
    assertResponse(told);
    assert.equal((told['error'] as Json)['code'], 'server_restarted');
    assert.deepEqual(
      (told['output'] as readonly Json[]).map(({ type }) => type),
      ['search_results'],
    );
    const events = await replay(second, id);
    assert.equal(events.at(-1)?.event, 'response.failed');
    for (const [at, { data }] of events.entries()) assert.equal(data.sequence_number, at);
    await first.send('POST', `/v1/agent/${String(id)}/cancel`, '{}');
    await first.close();
    assert.deepEqual(await get(second, id), told, 'the other process changes nothing any more');
  });
});

suite('background', () => {
  test('answers at once, and is bounded for an account and in all', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/slow': slow(10_000) }),
      runs: { backgroundMax: 3, backgroundPerAccountMax: 2 },
    });
    const body = { input: 'x', model: 'lab/slow', background: true };
    for (let n = 0; n < 2; n++) {
      const told = await agent.ask(body);
      assertResponse(told);
      assert.deepEqual(
        [told['status'], told['background'], told['model']],
        ['in_progress', true, 'lab/slow'],
      );
      assert.equal((await get(agent, told['id']))['status'], 'in_progress');
    }
    const more = await agent.send('POST', '/v1/agent', body);
    assert.equal(more.status, 429);
    assert.ok(Number(more.headers.get('retry-after')) >= 1);
    const post = () => agent.send('POST', '/v1/agent', JSON.stringify(body), other);
    assert.equal((await post()).status, 200);
    const full = await post();
    assert.equal(full.status, 503);
    assert.ok(Number(full.headers.get('retry-after')) >= 1);
  });
});

suite('what a response follows', () => {
  const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } };

  test('comes before the input, over any number of responses', async (t) => {
    const models = scriptedModels({
      'lab/a': turns(
        says([text('I am Nestor.')], finish()),
        says(call('c', 'weather', '{"city":"Bern"}'), finish('tool-calls')),
        says([text('Sunny.')], finish()),
      ),
    });
    const agent = await startAgent(t, { models });
    const one = await agent.ask({ input: 'Who are you?', model: 'lab/a' });
    const two = await agent.ask({
      input: 'Weather?',
      model: 'lab/a',
      tools: [weather],
      previous_response_id: one['id'],
      store: false,
    });
    assert.equal(two['status'], 'requires_action');
    const [called] = two['output'] as readonly Json[];
    const three = await agent.ask({
      input: [{ type: 'function_call_output', call_id: called?.['call_id'], output: 'sun' }],
      model: 'lab/a',
      tools: [weather],
      previous_response_id: two['id'],
    });
    assert.equal(three['status'], 'completed');
    assert.deepEqual(models.requests.at(-1)?.turns, [
      { role: 'user', parts: [{ type: 'text', text: 'Who are you?' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'I am Nestor.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', id: called?.['call_id'], name: 'weather', arguments: '{"city":"Bern"}' },
        ],
      },
      {
        role: 'tool',
        results: [
          {
            callId: called?.['call_id'],
            name: 'weather',
            parts: [{ type: 'text', text: 'sun' }],
            isError: false,
          },
        ],
      },
    ]);
    await agent.send('DELETE', `/v1/agent/${String(one['id'])}`);
    const error = await agent.refused({ input: 'x', model: 'lab/a', previous_response_id: three['id'] });
    assert.equal(error['message'], `previous response "${String(one['id'])}" not found`);
  });

  test('has to be over, and of the same account', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/slow': slow(10_000), 'lab/a': says([text('a')], finish()) }),
    });
    const running = await agent.ask({ input: 'x', model: 'lab/slow', background: true });
    const error = await agent.refused({ input: 'x', model: 'lab/a', previous_response_id: running['id'] });
    assert.deepEqual(
      [error['code'], error['message']],
      ['invalid_previous_response', `previous response "${String(running['id'])}" is not finished`],
    );
    const { id } = await agent.ask({ input: 'x', model: 'lab/a' });
    const body = JSON.stringify({ input: 'x', model: 'lab/a', previous_response_id: id });
    assert.equal((await agent.send('POST', '/v1/agent', body, other)).status, 400);
    assert.equal((await agent.send('GET', `/v1/agent/${String(id)}`, undefined, other)).status, 404);
  });

  test('markers of an earlier answer do not cite the sources of the next one', async (t) => {
    const models = scriptedModels({ 'lab/a': searching(), 'lab/b': says([text('yes')], finish()) });
    const agent = await startAgent(t, { models, tools: { search } });
    const one = await agent.ask({ input: 'x', model: 'lab/a', tools: [{ type: 'web_search' }] });
    await agent.ask({ input: 'Sure?', model: 'lab/b', previous_response_id: one['id'] });
    assert.deepEqual(models.requests.at(-1)?.turns[1], {
      role: 'assistant',
      parts: [{ type: 'text', text: 'The kea is a parrot and green.' }],
    });
  });

  test('items can be referred to by their ids', async (t) => {
    const models = scriptedModels({ 'lab/a': says([text('I am Nestor.')], finish()) });
    const agent = await startAgent(t, { models });
    const one = await agent.ask({ input: 'x', model: 'lab/a' });
    const id = (one['output'] as readonly Json[])[0]?.['id'];
    const input = [
      { type: 'item_reference', id },
      { role: 'user', content: 'Who?' },
    ];
    await agent.ask({ input, model: 'lab/a' });
    assert.deepEqual(models.requests.at(-1)?.turns[0], {
      role: 'assistant',
      parts: [{ type: 'text', text: 'I am Nestor.' }],
    });
    const foreign = await agent.send('POST', '/v1/agent', JSON.stringify({ input, model: 'lab/a' }), other);
    assert.equal(foreign.status, 400);
  });
});

suite('two processes on one PostgreSQL', { skip: postgresSkipReason() }, () => {
  test('read, cancel and resume runs of each other, and end those of one that died', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const url = await postgres.createStore();
    const open = async () => {
      const database = await openDatabase(url, { dataFolder: '/nowhere' });
      const agent = await startAgent(t, {
        models: scriptedModels({ 'lab/slow': slow(10_000), 'lab/some': slow(100) }),
        database,
      });
      t.after(async () => {
        await agent.close();
        await database.close();
      });
      return agent;
    };
    const [one, two] = [await open(), await open()];
    const some = await one.ask({ input: 'x', model: 'lab/some', background: true });
    const [here, there] = await Promise.all([replay(one, some['id']), replay(two, some['id'])]);
    assert.deepEqual(there, here);
    assert.equal(readRun(there).deltas.length, 100);
    const endless = await one.ask({ input: 'x', model: 'lab/slow', background: true });
    const response = await two.send('POST', `/v1/agent/${String(endless['id'])}/cancel`);
    assert.deepEqual(await response.json(), { response_id: endless['id'], status: 'cancelling' });
    const told = await ended(two, endless['id']);
    assert.equal((told['error'] as Json)['code'], 'cancelled');
    // A run whose lease is over has nobody.
    const lost = await one.ask({ input: 'x', model: 'lab/slow', background: true });
    await one.runs.store.renew({ owner: '', leaseMs: 0 });
    await one.database.db
      .updateTable('responses')
      .set({ lease_owner: 'a process that died', lease_until_ms: 0 })
      .where('id', '=', String(lost['id']))
      .execute();
    const failed = await ended(two, lost['id']);
    assert.equal((failed['error'] as Json)['code'], 'server_restarted');
  });
});
