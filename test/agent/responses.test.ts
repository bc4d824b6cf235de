import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { searching, startAgent, turns } from '../support/agent.ts';
import { assertResponse, type Json } from '../support/agent-wire.ts';
import { breaks, call, finish, says, scriptedModels, text } from '../support/models.ts';
import { found, scriptedPages, scriptedRunner, scriptedSearch } from '../support/tools.ts';

const search = scriptedSearch((query) => [
  found(`https://${query}.example/`),
  found('https://b.example/', { date: '2026-01-31' }),
]);
const tools = [{ type: 'web_search' }];

/** Without what differs from run to run. */
const comparable = (output: unknown) =>
  JSON.parse(JSON.stringify(output).replaceAll(/(?:msg|fc|call)_[0-9A-Za-z-]{24,36}/g, 'id')) as unknown;

suite('a response', () => {
  test('is the fold of its stream', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': searching(), 'lab/b': searching() }),
      tools: { search },
    });
    const body = { input: 'What is a kea?', tools, max_steps: 3 };
    const streamed = await agent.stream({ ...body, model: 'lab/a' });
    const whole = await agent.ask({ ...body, model: 'lab/b' });
    assertResponse(whole);
    const [results, message] = whole['output'] as readonly Json[];
    assert.equal(results?.['type'], 'search_results');
    assert.ok(message);
    const [part] = message['content'] as readonly Json[];
    assert.equal(part?.['text'], 'The kea is a parrot [1] and green.');
    assert.deepEqual(part['annotations'], [
      {
        type: 'url_citation',
        start_index: 20,
        end_index: 23,
        url: 'https://kea.example/',
        title: 'Title of https://kea.example/',
      },
    ]);
    assert.deepEqual(streamed.reasoning, ['started', 'search_queries', 'search_results', 'stopped']);
    assert.deepEqual(comparable(streamed.response['output']), comparable(whole['output']));
    assert.deepEqual(agent.errors, []);
  });

  test('tells in a header which engines its searches asked, and in none where nothing was searched', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({
        'lab/a': searching(),
        'lab/b': says([text('Nothing to look for.')], finish()),
        'lab/c': searching(),
      }),
      tools: { search },
    });
    const headerOf = async (model: string) => {
      const reply = await agent.send('POST', '/v1/responses', { input: 'x', tools, max_steps: 3, model });
      assert.equal(reply.status, 200);
      return reply.headers.get('x-nestor-search-engines');
    };
    assert.equal(await headerOf('lab/a'), 'scripted;hits=2');
    const request = { input: 'x', tools: [{ type: 'web_search' }], model: 'lab/c' };
    const reply = await agent.send('POST', '/openai/v1/responses', request);
    assert.equal(reply.headers.get('x-nestor-search-engines'), 'scripted;hits=2', await reply.text());
    assert.equal(await headerOf('lab/b'), null);
  });

  test('tells what it used and what that cost, and the ledger says the same', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': searching() }),
      tools: { search },
    });
    const { usage } = await agent.ask({ input: 'x', tools, model: 'lab/a', max_steps: 2 });
    // Two turns of 11 input, 3 cached, 2 written to the cache and 5 output tokens, at 1, 0.5, 1.5 and 2 USD.
    assert.deepEqual(usage, {
      input_tokens: 32,
      output_tokens: 10,
      total_tokens: 42,
      input_tokens_details: {
        cache_creation_input_tokens: 4,
        cache_read_input_tokens: 6,
        cached_tokens: 6,
      },
      output_tokens_details: { reasoning_tokens: 2 },
      tool_calls_details: { search_web: { invocation: 1, cost_usd: 0.005 } },
      cost: {
        currency: 'USD',
        input_cost: (2 * 11 * 1) / 1e6,
        output_cost: (2 * 5 * 2) / 1e6,
        cache_creation_cost: (2 * 2 * 1.5) / 1e6,
        cache_read_cost: (2 * 3 * 0.5) / 1e6,
        tool_calls_cost: 0.005,
        total_cost: 22 / 1e6 + 20 / 1e6 + 6 / 1e6 + 3 / 1e6 + 0.005,
      },
    });
    const [record, ...others] = agent.records;
    assert.equal(others.length, 0);
    assert.deepEqual(record?.billing, {
      model: 'lab/a',
      inputTokens: 32,
      outputTokens: 10,
      otherUnits: { search_web: 1 },
      costParts: {
        input: 22 / 1e6,
        output: 20 / 1e6,
        cacheRead: 3 / 1e6,
        cacheWrite: 6 / 1e6,
        toolCalls: 0.005,
      },
    });
  });

  test('that fails says so in the response, keeps its finished items, and is billed', async (t) => {
    const broken = turns(
      says(call('c', 'web_search', '{"queries":["kea"]}'), finish('tool-calls')),
      breaks(new Fault('bad_gateway'), [text('some words and then')]),
    );
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': broken }), tools: { search } });
    const { response, items } = await agent.stream({ input: 'x', tools, model: 'lab/a' });
    assert.deepEqual(response['error'], {
      message: 'The backend gave an unusable answer.',
      code: 'model_error',
      type: 'server_error',
    });
    assert.deepEqual(
      items.map(({ type }) => type),
      ['search_results'],
    );
    // The turn that was counted, and what was told of the one that was not.
    const { output_tokens: output, tool_calls_details: uses } = response['usage'] as Record<string, unknown>;
    assert.equal(output, 10);
    assert.deepEqual(uses, { search_web: { invocation: 1, cost_usd: 0.005 } });
    assert.equal(agent.records.length, 1);
    assert.deepEqual(agent.records[0]?.billing.otherUnits, { search_web: 1 });
  });

  test('that never had the format was asked for three times, and is billed for them', async (t) => {
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': says([text('four')], finish()) }),
    });
    const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } };
    const { error, usage } = await agent.ask({ input: 'x', model: 'lab/a', text: { format } });
    assert.equal((error as Json)['code'], 'structured_output_failed');
    assert.equal((usage as Json)['output_tokens'], 15);
    assert.deepEqual(
      agent.records.map(({ billing }) => [billing.model, billing.outputTokens]),
      [['lab/a', 15]],
    );
  });

  test('names each failure by its kind', async (t) => {
    const fault = (code: ConstructorParameters<typeof Fault>[0]) => breaks(new Fault(code));
    const agent = await startAgent(t, {
      models: scriptedModels({
        'lab/long': fault('context_length_exceeded'),
        'lab/busy': fault('service_unavailable'),
        'lab/late': fault('gateway_timeout'),
        'lab/defect': breaks(new Error('secret of the house')),
        'lab/mute': says(finish()),
        'lab/full': says([text('words')], finish('context-full')),
      }),
    });
    const errorOf = async (model: string) => {
      const { error, usage } = await agent.ask({ input: 'x', model });
      return [error, usage] as readonly [Json, Json | null];
    };
    const [long, spent] = await errorOf('lab/long');
    assert.deepEqual([long['code'], long['type']], ['context_length_exceeded', 'invalid_request']);
    assert.equal(spent, null);
    assert.equal((await errorOf('lab/busy'))[0]['code'], 'model_error');
    assert.equal((await errorOf('lab/late'))[0]['code'], 'timeout');
    assert.deepEqual(agent.records, [], 'what spent nothing is not billed');
    const [mute, asked] = await errorOf('lab/mute');
    assert.deepEqual([mute['code'], mute['type']], ['model_no_answer', 'server_error']);
    assert.notEqual(asked, null);
    assert.deepEqual((await errorOf('lab/defect'))[0], {
      message: 'Internal server error',
      code: 'internal_error',
      type: 'server_error',
    });
    const [full, used] = await errorOf('lab/full');
    assert.equal(full['code'], 'context_length_exceeded');
    assert.notEqual(used, null);
    assert.equal(agent.errors.length, 1, 'only the defect is ours');
    assert.deepEqual(agent.failures, [
      'context_length_exceeded',
      'service_unavailable',
      'gateway_timeout',
      'model_no_answer',
    ]);
  });

  test('reads pages, runs code and shares its files', async (t) => {
    const sandbox = scriptedRunner({
      stdout: '4',
      files: [{ path: 'share/täble.csv', bytes: Buffer.from('a,b') }],
    });
    const script = turns(
      says(
        call('call_a', 'fetch_url', '{"urls":["https://a.example/"]}'),
        call('call_b', 'sandbox', '{"code":"print(2+2)"}'),
        finish('tool-calls'),
      ),
      says([text('Four [1].')], finish()),
    );
    const agent = await startAgent(t, {
      models: scriptedModels({ 'lab/a': script }),
      tools: { sandbox, pages: scriptedPages({ 'https://a.example/': 'Two and two.' }) },
    });
    const { response, reasoning } = await agent.stream({
      input: 'x',
      model: 'lab/a',
      tools: [{ type: 'sandbox' }, { type: 'fetch_url' }],
    });
    const output = response['output'] as readonly Json[];
    assert.deepEqual(
      output.map(({ type }) => type),
      ['fetch_url_results', 'sandbox_results', 'share_file', 'message'],
    );
    assert.ok(reasoning.includes('fetch_url_results'));
    const [, ran, shared] = output;
    assert.deepEqual(Object.keys(ran ?? {}), [
      'type',
      'call_id',
      'container_id',
      'language',
      'code',
      'status',
      'results',
      'stdout',
      'stderr',
      'exit_code',
      'duration_ms',
    ]);
    assert.deepEqual([ran?.['stdout'], ran?.['exit_code'], ran?.['language']], ['4', 0, 'python']);
    const url = new URL(String(shared?.['url']));
    const list = (await (await agent.send('GET', `/v1/agent/${String(response['id'])}/files`)).json()) as {
      data: Json[];
    };
    assert.deepEqual(list.data, [
      {
        id: shared?.['file_id'],
        object: 'file',
        filename: 'täble.csv',
        bytes: 3,
        created_at: list.data[0]?.['created_at'],
      },
    ]);
    const file = await agent.send('GET', url.pathname);
    assert.equal(await file.text(), 'a,b');
    assert.equal(file.headers.get('content-type'), 'application/octet-stream');
    assert.equal(
      file.headers.get('content-disposition'),
      `attachment; filename="t_ble.csv"; filename*=UTF-8''t%C3%A4ble.csv`,
    );
    assert.equal((await agent.send('GET', `${url.pathname}x`)).status, 404);
  });

  test('has a shared file as soon as its stream tells of it', async (t) => {
    const read = Promise.withResolvers<void>();
    const script = turns(
      says(call('c', 'sandbox', '{"code":"1"}'), finish('tool-calls')),
      async function* () {
        await read.promise;
        yield [text('Done.')];
        yield finish();
      },
    );
    const sandbox = scriptedRunner({ files: [{ path: 'share/a.csv', bytes: Buffer.from('a,b') }] });
    const agent = await startAgent(t, { models: scriptedModels({ 'lab/a': script }), tools: { sandbox } });
    const body = { input: 'x', model: 'lab/a', tools: [{ type: 'sandbox' }], stream: true };
    const { body: stream } = await agent.send('POST', '/v1/agent', body);
    let wire = '';
    for await (const piece of stream?.pipeThrough(new TextDecoderStream()) ?? []) {
      wire += piece;
      const url = /"url":"([^"]+content)"/.exec(wire)?.[1];
      if (url === undefined) continue;
      assert.equal(await (await agent.send('GET', new URL(url).pathname)).text(), 'a,b');
      read.resolve();
    }
    assert.match(wire, /"url":.*response\.completed/s);
  });

  test('loads skills when the model wants them', async (t) => {
    const script = turns(
      says(call('call_a', 'load_skill', '{"name":"weekly"}'), finish('tool-calls')),
      says([text('Done.')], finish()),
    );
    const models = scriptedModels({ 'lab/a': script });
    const agent = await startAgent(t, { models });
    const skill = {
      type: 'inline',
      name: 'weekly',
      description: 'Writes the week.',
      instructions: 'Be brief.',
    };
    const { response, events } = await agent.stream({ input: 'x', model: 'lab/a', skills: [skill] });
    const names = events.map(({ event }) => event);
    assert.ok(names.indexOf('response.skill.loaded') < names.indexOf('response.output_item.added'));
    assert.deepEqual((response['output'] as readonly Json[])[0], { type: 'skill_loaded', name: 'weekly' });
    assert.ok(!JSON.stringify(response).includes('Be brief'), 'the body of a skill is not told again');
    assert.match(JSON.stringify(models.requests[0]?.tools), /weekly: Writes the week/);
    assert.match(JSON.stringify(models.requests[1]?.turns), /Be brief/);
  });

  test('answers with JSON that is valid, in either spelling', async (t) => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    };
    const script = turns(says([text('no json')], finish()), says([text('```json\n{"n":1}\n```')], finish()));
    const agent = await startAgent(t, {
      models: scriptedModels({
        'lab/a': { capabilities: { jsonSchema: false }, answer: script },
        'lab/never': says([text('no')], finish()),
      }),
    });
    const text_ = { format: { type: 'json_schema', name: 'n', schema, strict: true } };
    const one = await agent.stream({ input: 'x', model: 'lab/a', text: text_ });
    assert.equal(one.deltas.join(''), '{"n":1}');
    assert.deepEqual(one.response['text'], { format: { ...text_.format, description: null } });
    const two = await agent.ask({
      input: 'x',
      model: 'lab/never',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    });
    assert.equal((two['error'] as Json)['code'], 'structured_output_failed');
  });

  test('asks the model for what the request says', async (t) => {
    const models = scriptedModels({ 'lab/a': says([text('ja')], finish()) });
    const agent = await startAgent(t, { models });
    await agent.ask({
      model: 'lab/a',
      input: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      ],
      instructions: 'Be brief.',
      language_preference: 'de',
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: -1,
      max_output_tokens: 77,
      reasoning: { effort: 'minimal' },
      parallel_tool_calls: false,
    });
    const [request] = models.requests;
    assert.deepEqual(request?.system, ['Be brief.', 'Be kind.', 'Answer in German.']);
    assert.deepEqual(request.turns, [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]);
    const { temperature, topP, presencePenalty, frequencyPenalty, outputTokensMax, effort } = request;
    assert.deepEqual(
      [temperature, topP, presencePenalty, frequencyPenalty, outputTokensMax, effort],
      [0.5, 0.9, 1, -1, 77, 'minimal'],
    );
  });

  test('a preset is merged field by field, and each of its fields can be replaced', async (t) => {
    const models = scriptedModels({ 'svc/svc': searching() });
    const found_ = scriptedSearch(() => [found('https://a.example/')]);
    const agent = await startAgent(t, { models, tools: { search: found_ } });
    const told = await agent.ask({
      input: 'x',
      preset: 'pro-search',
      tools: [
        { type: 'web_search', search_context_size: 'low', filters: { search_domain_filter: ['a.example'] } },
      ],
      max_output_tokens: 50,
    });
    assert.deepEqual([told['model'], told['max_steps'], told['max_output_tokens']], ['svc/svc', 5, 50]);
    assert.deepEqual(told['tools'], [
      { type: 'web_search', search_context_size: 'low', filters: { search_domain_filter: ['a.example'] } },
    ]);
    const [asked] = found_.asked;
    assert.equal(asked?.query.hitsMax, 15, 'of the preset');
    assert.deepEqual(asked.query.filters.allowDomains, ['a.example']);
    assert.deepEqual(asked.budget, { tokensMax: 3_000, tokensPerPageMax: 1_000 });
    const [request] = models.requests;
    assert.equal(request?.effort, 'high');
    assert.deepEqual(
      request.tools.map(({ name }) => name),
      ['web_search', 'fetch_url'],
    );
    assert.match(request.system[0] ?? '', /Research/);
    await agent.ask({ input: 'x', preset: 'fast', instructions: '', max_tool_calls: 0 });
    const last = models.requests.at(-1);
    assert.deepEqual([last?.tools, last?.system], [[], []]);
  });
});
