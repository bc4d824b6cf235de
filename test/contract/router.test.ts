import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { parseMessageEvents, readMessageEvents } from '../support/messages-grammar.ts';
import { startRouter } from '../support/router.ts';
import { basic, lastRequest, models, openMessagesRouter, tool, type ErrorBody } from './router.fixture.ts';

/** Traps 69 to 72 of the contract, and the lists of models. */

const router = await openMessagesRouter({ after });
const { ask, refused } = router;
const lenient = await startRouter({ after }, { models, lenient: true });

suite('traps of the router', () => {
  test('69: errors have type error, code, param and request_id; 429 is overloaded_error', async () => {
    const response = await ask({ ...basic, model: 'lab/busy' });
    const received = (await response.json()) as ErrorBody;
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '3');
    assert.equal(response.headers.get('retry-after-ms'), '2500');
    assert.equal(received.error.type, 'overloaded_error');
    assert.equal(received.error.code, 429);
    for (const [model, status] of [
      ['lab/broken', 502],
      ['lab/slow', 504],
      ['lab/defect', 500],
    ] as const) {
      const error = await refused({ ...basic, model }, status);
      assert.equal(error.type, 'api_error');
      assert.equal(error.code, status);
      assert.ok(!error.message.includes('secret'));
      assert.equal(router.records.at(-1)?.billing, null, 'what fails before output is not billed');
    }
    for (const stream of [false, true]) {
      await refused({ ...basic, model: 'lab/garbage-at-once', stream }, 502);
      assert.equal(router.records.at(-1)?.billing, null, 'an answer that cannot be told is not billed');
    }
  });

  test('70: what strict mode refuses is dropped and named in lenient mode', async () => {
    const cache_control = { type: 'ephemeral' };
    const body = {
      ...basic,
      top_k: 5,
      service_tier: 'auto',
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      unknown: 1,
      system: [{ type: 'text', text: 's', cache_control }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b', cache_control },
          ],
        },
      ],
      tools: [{ ...tool, description: undefined, cache_control }],
    };
    assert.equal((await ask(body)).status, 400);
    const response = await lenient.post('/v1/messages', body);
    assert.equal(response.status, 200);
    assert.deepEqual(response.headers.get('x-nestor-ignored')?.split(',').sort(), [
      'messages.0.content.1.cache_control',
      'service_tier',
      'system.0.cache_control',
      'thinking',
      'tools.0.cache_control',
      'tools.0.description',
      'top_k',
      'unknown',
    ]);
    const request = lastRequest();
    assert.equal(request.effort, 'none');
    assert.equal(request.topK, null);
    assert.equal(request.tools[0]?.description, 'weather');
    assert.equal((await lenient.post('/v1/messages', basic)).headers.get('x-nestor-ignored'), null);
  });

  test('70: at most 20 names are listed, whatever they hold, and no other rule changes', async () => {
    const names = Array.from({ length: 30 }, (_, index) => [`x\r\n${index},é`, 1]);
    const response = await lenient.post('/v1/messages', { ...Object.fromEntries(names), ...basic });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-nestor-ignored')?.split(',').length, 20);
    for (const more of [
      { max_tokens: 0 },
      { temperature: 2 },
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    ]) {
      assert.equal((await lenient.post('/v1/messages', { ...basic, ...more })).status, 400);
    }
    const stream = await lenient.post('/v1/messages', { ...basic, top_k: 1, stream: true });
    assert.equal(stream.headers.get('x-nestor-ignored'), 'top_k');
    await stream.text();
  });

  test('71: an event line per event, message_start first, message_stop last, usage in message_delta', async () => {
    const response = await ask({ ...basic, stream: true });
    const events = parseMessageEvents(await response.text());
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'message_start',
        'ping',
        'content_block_start',
        'content_block_delta',
        'content_block_delta',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ],
    );
    const read = readMessageEvents(events);
    assert.deepEqual(read.deltas, ['Hel', 'lo ', 'there']);
    assert.deepEqual(read.usage, {
      input_tokens: 11,
      output_tokens: 5,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
    });
    const {
      content,
      stop_reason,
      usage: begun,
    } = read.start as {
      content: unknown;
      stop_reason: unknown;
      usage: { output_tokens: number; input_tokens: number };
    };
    assert.deepEqual([content, stop_reason, begun.output_tokens], [[], null, 0]);
    assert.ok(begun.input_tokens > 0);
  });

  test('72: both headers carry the key, on every path', async () => {
    for (const path of ['/v1/messages', '/router/v1/messages', '/router/v1/v1/messages']) {
      for (const headers of [{ authorization: `Bearer ${router.key}` }, { 'x-api-key': router.key }]) {
        const response = await router.post(`${path}?beta=true`, basic, { headers });
        assert.equal(response.status, 200, path);
      }
      const wrong = { authorization: 'Bearer no', 'x-api-key': router.key };
      assert.equal((await router.post(path, basic, { headers: wrong })).status, 401);
    }
  });
});

suite('models of the router', () => {
  const get = (path: string, headers: Record<string, string> = { 'x-api-key': router.key }) =>
    fetch(`${router.url}${path}`, { headers });

  test('are listed for both families of clients, without those that are kept out', async () => {
    const list = (await (await get('/router/v1/models')).json()) as {
      data: { id: string }[];
      first_id: string;
      last_id: string;
      has_more: boolean;
    };
    const ids = list.data.map(({ id }) => id);
    assert.ok(ids.includes('lab/echo') && !ids.includes('lab/hidden'));
    assert.deepEqual([list.first_id, list.last_id, list.has_more], [ids[0], ids.at(-1), false]);
    assert.equal((await get('/router/v1/models', {})).status, 401);
  });

  test('are described one by one, by aliases too', async () => {
    const one = await get('/router/v1/models/lab/echo');
    assert.deepEqual(await one.json(), {
      id: 'lab/echo',
      object: 'model',
      type: 'model',
      created: 1_700_000_000,
      created_at: '2023-11-14T22:13:20Z',
      display_name: 'echo',
      owned_by: 'lab',
      pricing: { input: 1, output: 2, cache_read: 0.5, cache_write: 1.5, unit: 'usd_per_1m_tokens' },
    });
    assert.equal((await get('/router/v1/models/alias/echo')).status, 200);
    for (const path of ['lab/none', 'lab/hidden', 'lab', 'lab/']) {
      assert.equal((await get(`/router/v1/models/${path}`)).status, 404, path);
    }
  });
});
