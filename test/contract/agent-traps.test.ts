import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { searching, slow, startAgent, turns } from '../support/agent.ts';
import { until } from '../support/until.ts';
import { assertResponse, parseEvents, readRun, responseKeys, type Json } from '../support/agent-wire.ts';
import { breaks, call, finish, says, scriptedModels, text } from '../support/models.ts';
import { scriptedProvider } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { found, scriptedSearch } from '../support/tools.ts';

/** Numbers are those of contract 18. */

const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } };
const plain = says([text('Hello.')], finish());
const search = scriptedSearch((query) => [
  found(`https://${query}.example/`),
  found('https://shared.example/', { lastUpdated: '2026-02-01' }),
]);
const tools = [{ type: 'web_search' }];
const calling = () =>
  says([text('I ask.')], call('c1', 'weather', '{"city":', '"Bern"}'), finish('tool-calls'));
const body = { model: 'lab/a', input: 'x' };

suite('agent traps', () => {
  test('32: max_steps 0 and 11, an unknown field and the tool mcp are 400', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': plain }) });
    for (const more of [{ max_steps: 11 }, { max_steps: 0 }, { foo: 1 }, { tools: [{ type: 'mcp' }] }])
      await agent.refused({ ...body, ...more });
    for (const steps of [1, 10])
      assert.equal((await agent.ask({ ...body, max_steps: steps }))['max_steps'], steps);
  });

  test('33: a run that stops for function calls is requires_action and ends with response.completed', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': calling() }) });
    const { response, events } = await agent.stream({ ...body, tools: [weather] });
    assert.equal(response['status'], 'requires_action');
    assert.equal(events.at(-1)?.event, 'response.completed');
    const [message, called] = response['output'] as readonly Json[];
    assert.equal(message?.['type'], 'message');
    assert.deepEqual([called?.['name'], called?.['arguments']], ['weather', '{"city":"Bern"}']);
    assert.deepEqual(response['tools'], [
      { type: 'function', name: 'weather', description: null, parameters: { type: 'object' }, strict: null },
    ]);
  });

  test('34: what runs says in_progress, what was cancelled is failed with the code cancelled', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': slow(10_000) }) });
    const created = await agent.ask({ ...body, background: true });
    assertResponse(created);
    const path = `/v1/responses/${String(created['id'])}`;
    const read = async () => (await (await agent.send('GET', path)).json()) as Json;
    assert.deepEqual([created['status'], (await read())['status']], ['in_progress', 'in_progress']);
    await agent.send('POST', `${path}/cancel`, '{}');
    await until(async () => (await read())['status'] === 'failed');
    assert.equal(((await read())['error'] as Json)['code'], 'cancelled');
  });

  test('35: an answer cut at max_output_tokens is completed and says why it is incomplete', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({
        'lab/a': says([text('Half a sen')], finish('length')),
        'lab/call': says(call('c', 'weather', '{"ci'), finish('length')),
      }),
    });
    const { response, items } = await agent.stream({ ...body, max_output_tokens: 3 });
    assert.deepEqual(
      [response['status'], response['incomplete_details'], items[0]?.['status']],
      ['completed', { reason: 'max_output_tokens' }, 'completed'],
    );
    const cut = await agent.ask({ ...body, model: 'lab/call', tools: [weather] });
    assert.deepEqual(
      [cut['status'], cut['incomplete_details']],
      ['completed', { reason: 'max_output_tokens' }],
      'arguments that were cut are not to be acted on',
    );
  });

  test('36: every key is in every response object, streamed or not', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': plain, 'lab/bad': breaks(new Fault('bad_gateway')) }),
    });
    for (const model of ['lab/a', 'lab/bad']) {
      const { events } = await agent.stream({ ...body, model });
      for (const { data } of events)
        if ('response' in data) assert.deepEqual(Object.keys(data['response'] as object), responseKeys);
      const told = await agent.ask({ ...body, model });
      assert.deepEqual(Object.keys(told), responseKeys);
      const stored = await agent.send('GET', `/v1/agent/${String(told['id'])}`);
      assert.deepEqual(await stored.json(), told);
    }
  });

  test('37, 41: events are numbered from 0, and nothing follows the only end', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': plain }) });
    const response = await agent.send('POST', '/v1/agent', { ...body, stream: true });
    const wire = await response.text();
    assert.ok(!wire.includes('[DONE]'));
    const events = parseEvents(wire);
    assert.deepEqual(
      events.map(({ data }) => data.sequence_number),
      events.map((_, at) => at),
    );
    const ends = events.filter(({ event }) => /completed|failed|incomplete|cancelled/.test(event));
    assert.deepEqual(ends, [events.at(-1)]);
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ],
    );
  });

  test('38: parts begin before their deltas, arguments are told before they are done', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': calling() }) });
    const { events } = await agent.stream({ ...body, tools: [weather] });
    const at = (name: string) => events.findIndex(({ event }) => event === name);
    assert.ok(at('response.content_part.added') < at('response.output_text.delta'));
    const delta = at('response.function_call_arguments.delta');
    assert.ok(delta >= 0 && delta < at('response.function_call_arguments.done'));
  });

  test('39: reasoning events come only when a tool of ours runs', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({
        'lab/a': says([{ type: 'reasoning-delta', text: 'hm' }], [text('a')], finish()),
        'lab/f': calling(),
        'lab/s': searching(),
      }),
      tools: { search },
    });
    assert.deepEqual((await agent.stream({ ...body, tools })).reasoning, []);
    assert.deepEqual((await agent.stream({ ...body, model: 'lab/f', tools: [weather] })).reasoning, []);
    assert.equal((await agent.stream({ ...body, model: 'lab/s', tools })).reasoning.length, 4);
  });

  test('40: response.failed has the error beside the response', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': breaks(new Fault('bad_gateway')) }),
    });
    const { events } = await agent.stream(body);
    const last = events.at(-1);
    assert.equal(last?.event, 'response.failed');
    assert.deepEqual(last.data['error'], (last.data['response'] as Json)['error']);
  });

  test('42: output items are accepted as input as they are', async (t) => {
    const models = scriptedModels({
      'lab/a': turns(
        says(call('c', 'web_search', '{"queries":["kea"]}'), finish('tool-calls')),
        says([text('A parrot [1].')], call('d', 'weather', '{}'), finish('tool-calls')),
        plain,
      ),
    });
    const agent = await startAgent(t, { models, tools: { search } });
    const first = await agent.ask({ ...body, tools: [...tools, weather], max_steps: 3 });
    assert.equal(first['status'], 'requires_action');
    const output = first['output'] as readonly Json[];
    const called = output.find(({ type }) => type === 'function_call');
    const again = await agent.ask({
      ...body,
      input: [
        { role: 'user', content: 'What is a kea?' },
        ...output,
        { type: 'reasoning', summary: [], encrypted_content: 'x' },
        {
          type: 'function_call_output',
          call_id: called?.['call_id'],
          output: [{ type: 'input_text', text: 'sun' }],
        },
      ],
    });
    assert.equal(again['status'], 'completed');
    assert.deepEqual(
      models.requests.at(-1)?.turns.map(({ role }) => role),
      ['user', 'assistant', 'tool'],
    );
  });

  test('43: a message needs no type', async (t) => {
    const models = scriptedModels({ 'lab/a': plain });
    const agent = await startAgent(t, { models });
    await agent.ask({ ...body, input: [{ role: 'user', content: 'Hi', whatever: 1 }] });
    assert.deepEqual(models.requests[0]?.turns, [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]);
  });

  test('44: text.format and response_format mean the same', async (t) => {
    const models = scriptedModels({ 'lab/a': says([text('{}')], finish()) });
    const agent = await startAgent(t, { models });
    const format = { name: 'n', schema: { type: 'object' }, strict: true };
    const one = await agent.ask({ ...body, text: { format: { type: 'json_schema', ...format } } });
    const two = await agent.ask({ ...body, response_format: { type: 'json_schema', json_schema: format } });
    assert.deepEqual(one['text'], two['text']);
    const [a, b] = models.requests;
    assert.deepEqual(a?.format, b?.format);
  });

  test('45, 46: a page keeps its id over all items, unknown dates are absent, uses go by their billing names', async (t) => {
    const script = turns(
      says(call('c', 'web_search', '{"queries":["kea"]}'), finish('tool-calls')),
      says(call('c', 'people_search', '{"queries":["ada"]}'), finish('tool-calls')),
      says([text('Both [2].')], finish()),
    );
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': script }), tools: { search } });
    const told = await agent.ask({ ...body, max_steps: 3, tools: [...tools, { type: 'people_search' }] });
    const items = told['output'] as readonly { readonly results?: readonly Json[] }[];
    const ids = items.flatMap(({ results = [] }) => results.map(({ id, url }) => [id, url]));
    assert.deepEqual(ids, [
      [1, 'https://kea.example/'],
      [2, 'https://shared.example/'],
      [3, 'https://ada.example/'],
      [2, 'https://shared.example/'],
    ]);
    const [kea, shared] = items[0]?.results ?? [];
    assert.deepEqual(Object.keys(kea ?? {}), ['id', 'url', 'title', 'snippet', 'source']);
    assert.equal(shared?.['last_updated'], '2026-02-01');
    const { tool_calls_details: uses } = told['usage'] as Record<string, object>;
    assert.deepEqual(Object.keys(uses ?? {}), ['search_web', 'search_people']);
  });

  test('47: every name of a preset resolves', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'svc/svc': plain }), tools: { search } });
    const steps = { fast: 1, low: 5, medium: 10, high: 10, xhigh: 10 };
    const long = { 'fast-search': 1, 'pro-search': 5, 'deep-research': 10, 'advanced-deep-research': 10 };
    for (const [preset, stepsMax] of Object.entries({ ...steps, ...long })) {
      const told = await agent.ask({ input: 'x', preset });
      assert.deepEqual(
        [told['status'], told['model'], told['tools'], told['max_steps']],
        ['completed', 'svc/svc', [], stepsMax],
      );
    }
  });

  test('48: cancel accepts an empty body and {}; over is 400, unknown is 404', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': slow(10_000), 'lab/b': plain }) });
    for (const sent of [undefined, '', '{}']) {
      const { id } = await agent.ask({ ...body, background: true });
      const response = await agent.send('POST', `/responses/${String(id)}/cancel`, sent);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { response_id: id, status: 'cancelling' });
    }
    const { id } = await agent.ask({ ...body, model: 'lab/b' });
    assert.equal((await agent.send('POST', `/responses/${String(id)}/cancel`, '{}')).status, 400);
    const unknown = await agent.send('POST', '/responses/resp_x/cancel', '{}');
    assert.equal(unknown.status, 404);
    assert.equal(((await unknown.json()) as { error: Json }).error['message'], 'response "resp_x" not found');
  });

  test('49: the stream of a stored response begins after the number that is named', async (t) => {
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': plain }) });
    const { events, response } = await agent.stream(body);
    const path = `/openai/v1/responses/${String(response['id'])}?stream=true`;
    for (let after = -1; after < events.length; after++) {
      const wire = await (await agent.send('GET', `${path}&starting_after=${after}`)).text();
      assert.deepEqual(parseEvents(wire), events.slice(after + 1));
    }
  });

  test('50: a response that is not stored is 404, and can still be followed', async (t) => {
    const models = scriptedModels({ 'lab/a': plain });
    const agent = await startAgent(t, { models });
    const { id, store } = await agent.ask({ ...body, store: false });
    assert.equal(store, false);
    assert.equal((await agent.send('GET', `/v1/agent/${String(id)}`)).status, 404);
    assert.equal((await agent.send('GET', `/v1/agent/${String(id)}?stream=true`)).status, 404);
    assert.equal((await agent.send('DELETE', `/v1/agent/${String(id)}`)).status, 404);
    await agent.ask({ ...body, previous_response_id: id });
    assert.equal(models.requests.at(-1)?.turns.length, 3);
  });

  test('51: models falls back, and the answer names the one that ran', async (t) => {
    const server = await startServer(t, {
      providers: [
        scriptedProvider('bad', { backend: { answer: breaks(new Fault('service_unavailable')) } }),
        scriptedProvider('good', { x: { answer: plain } }),
      ],
    });
    const response = await server.post('/v1/agent', { input: 'x', models: ['bad/backend', 'good/x'] });
    const told = (await response.json()) as Json;
    assert.deepEqual([told['status'], told['model']], ['completed', 'good/x']);
    const streamed = await server.post('/v1/responses', {
      input: 'x',
      models: ['bad/backend', 'good/x'],
      stream: true,
    });
    assert.equal(readRun(parseEvents(await streamed.text())).response['model'], 'good/x');
    const failed = (await (
      await server.post('/v1/agent', { input: 'x', models: ['bad/backend'] })
    ).json()) as Json;
    assert.deepEqual([failed['status'], (failed['error'] as Json)['code']], ['failed', 'model_error']);
  });
});

test('usage can be left out of the last event, and is stored all the same', async (t) => {
  const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': plain }) });
  const { response } = await agent.stream({ ...body, stream_options: { include_usage: false } });
  assert.equal(response['usage'], null);
  const stored = (await (await agent.send('GET', `/v1/agent/${String(response['id'])}`)).json()) as Json;
  assert.notEqual(stored['usage'], null);
});

test('with nothing configured the agent searches and answers with quotations', async (t) => {
  const server = await startServer(t);
  const response = await server.post('/v1/agent', {
    input: 'How do I revoke a token?',
    preset: 'fast-search',
    stream: true,
  });
  const { response: told, reasoning } = readRun(parseEvents(await response.text()));
  assert.equal(told['status'], 'completed');
  assert.deepEqual([reasoning[0], reasoning.at(-1)], ['started', 'stopped']);
  assert.equal((told['output'] as readonly Json[])[0]?.['type'], 'search_results');
  assert.equal((told['output'] as readonly Json[]).at(-1)?.['type'], 'message');
});
