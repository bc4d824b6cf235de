import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { ModelRequest } from '../../src/features/models/model.ts';
import type { RemoteOptions } from '../../src/features/models/remote-server.ts';
import {
  chunk,
  cut,
  done,
  hang,
  usageChunk,
  type WireAnswer,
  type WireRequest,
} from '../support/upstream-chat.ts';
import { openChat } from './chat-backend.ts';
import { collect, faultOf, firstModel, plainRequest } from './suite.ts';

const { signal } = new AbortController();
const hello = [chunk({ role: 'assistant', content: 'Hello.' }), chunk({}, 'stop'), usageChunk(5, 2), done];

function json(body: unknown, status = 200, headers: Record<string, string> = {}): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [JSON.stringify(body)],
  };
}

const refused = (param: string | null, message: string, status = 400) =>
  json({ error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } }, status);

/** A server with a list of models that answers each chat as scripted. */
async function open(
  t: TestContext,
  script: { list?: unknown; chat?: (request: WireRequest, nth: number) => readonly string[] | WireAnswer },
  options: Partial<RemoteOptions> = {},
) {
  let nth = 0;
  return openChat(
    t,
    (request) => {
      if (request.method === 'GET')
        return json(script.list ?? { object: 'list', data: [] }, 'list' in script ? 200 : 404);
      return script.chat?.(request, nth++) ?? hello;
    },
    options,
  );
}

const ask = (provider: Awaited<ReturnType<typeof open>>['provider'], request: Partial<ModelRequest> = {}) =>
  collect(firstModel(provider), request);

suite('requests of the openai-compatible provider', () => {
  test('go to the address with its query, with the key and the headers of the operator', async (t) => {
    const { server, provider } = await open(t, {}, { headers: { 'x-team': 'birds' } });
    await ask(provider);
    const [seen] = server.requests;
    assert.deepEqual([seen?.method, seen?.path], ['POST', '/v1/chat/completions']);
    assert.equal(seen?.headers['authorization'], 'Bearer sk-key');
    assert.equal(seen?.headers['x-team'], 'birds');
    assert.equal(seen?.headers['accept'], 'text/event-stream');
    const query = await openChat(t, () => hello, {
      baseUrl: `${server.url}/openai/deployments/birds?api-version=7`,
    });
    await collect(firstModel(query.provider));
    assert.equal(server.requests[1]?.path, '/v1/openai/deployments/birds/chat/completions?api-version=7');
  });

  test('always stream and ask for usage', async (t) => {
    const { server, provider } = await open(t, {});
    await ask(provider);
    assert.deepEqual(server.requests[0]?.body, {
      model: 'gpt-x',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is a kea?' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('a field that a server refuses is left out or renamed, then and afterwards', async (t) => {
    const { server, provider } = await open(t, {
      chat: ({ body }) => {
        if ('max_tokens' in body) {
          return refused(
            'max_tokens',
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          );
        }
        if ('temperature' in body) {
          return refused(
            'temperature',
            "Unsupported value: 'temperature' does not support 0.5 with this model.",
          );
        }
        if ('stream_options' in body)
          return refused(null, 'Unrecognized request argument supplied: stream_options');
        return hello;
      },
    });
    const request = { outputTokensMax: 20, temperature: 0.5, topP: 0.9 };
    assert.equal((await ask(provider, request)).text, 'Hello.');
    assert.equal(server.requests.length, 4);
    await ask(provider, request);
    assert.equal(server.requests.length, 5, 'later requests are sent in the right form');
    const { max_completion_tokens: limit, top_p: topP } = server.requests[4]?.body ?? {};
    assert.deepEqual([limit, topP], [20, 0.9]);
  });

  test('a schema that a server cannot enforce becomes an instruction', async (t) => {
    const { server, provider } = await open(t, {
      chat: ({ body }) =>
        JSON.stringify(body['response_format'] ?? '').includes('json_schema')
          ? refused('response_format', "'response_format.type' : json_schema is not supported", 422)
          : hello,
    });
    const schema = { type: 'object', properties: { bird: { type: 'string' } } };
    await ask(provider, {
      format: { type: 'json-schema', name: 'b', schema, description: null, strict: true },
    });
    const { messages, response_format: format } = server.requests[1]?.body ?? {};
    assert.deepEqual(format, { type: 'json_object' });
    assert.ok(JSON.stringify(messages).includes('JSON Schema'));
  });

  test('a schema goes beside json_object where llama-cpp-python refuses it as its own failure', async (t) => {
    const words =
      "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}";
    const { server, provider } = await open(t, {
      chat: ({ body }) =>
        JSON.stringify(body['response_format'] ?? '').includes('json_schema')
          ? refused(null, words, 500)
          : hello,
    });
    const schema = { type: 'object', properties: { bird: { type: 'string' } } };
    const format = { type: 'json-schema', name: 'b', schema, description: null, strict: true } as const;
    await ask(provider, { format });
    await ask(provider, { format });
    const formats = server.requests.slice(-2).map(({ body }) => body['response_format']);
    assert.deepEqual(formats, [
      { type: 'json_object', schema },
      { type: 'json_object', schema },
    ]);
  });

  test('a value that is refused is not offered again, other values are', async (t) => {
    const { server, provider } = await open(t, {
      chat: ({ body }) =>
        body['reasoning_effort'] === 'none'
          ? refused('reasoning_effort', "Unsupported value: 'reasoning_effort' does not support 'none'")
          : hello,
    });
    await ask(provider, { effort: 'none' });
    await ask(provider, { effort: 'none' });
    await ask(provider, { effort: 'high' });
    assert.deepEqual(
      server.requests.map(({ body }) => body['reasoning_effort']),
      ['none', undefined, undefined, 'high'],
    );
  });

  test('a refusal for what a caller wrote changes nothing and is reported', async (t) => {
    const { server, provider } = await open(t, {
      chat: ({ body }, nth) =>
        nth < 3 && body['temperature'] !== 0
          ? refused(null, 'temperature not supported in messages[0]')
          : hello,
    });
    assert.equal((await faultOf(ask(provider, { temperature: 1 }))).code, 'invalid_value');
    await ask(provider, { temperature: 0 });
    assert.equal(server.requests.at(-1)?.body['temperature'], 0);
  });

  test('are repeated before the first byte and only then', async (t) => {
    const flaky = await open(t, {
      chat: (_, nth) => (nth < 2 ? json({ error: { message: 'x' } }, nth === 0 ? 500 : 503) : hello),
    });
    assert.equal((await ask(flaky.provider)).text, 'Hello.');
    assert.equal(flaky.server.requests.length, 3);
    const broken = await openChat(t, () => [chunk({ content: 'a' }), cut]);
    await faultOf(collect(firstModel(broken.provider)));
    assert.equal(broken.server.requests.length, 1);
  });

  test('are not repeated when the wait is long, the credit is spent or the request is at fault', async (t) => {
    const answers = [
      json({ error: { message: 'x' } }, 429, { 'retry-after': '60' }),
      json({ error: { message: 'x', code: 'insufficient_quota' } }, 429),
      json({ error: { message: 'x' } }, 400),
      json({ error: { message: 'x' } }, 404),
    ];
    for (const answer of answers) {
      const { server, provider } = await open(t, { chat: () => answer });
      await faultOf(ask(provider));
      assert.equal(server.requests.length, 1);
    }
  });
});

suite('the list of the openai-compatible provider', () => {
  const vllm = {
    object: 'list',
    data: [
      {
        id: 'Qwen/Qwen3-8B',
        object: 'model',
        created: 1_763_650_000,
        owned_by: 'vllm',
        root: 'Qwen/Qwen3-8B',
        max_model_len: 40_960,
      },
    ],
  };

  test('is empty until the server has sent it', async (t) => {
    const { provider } = await open(t, { list: vllm }, { models: '*' });
    assert.deepEqual(provider.models(), []);
    await provider.refresh(signal);
    const [offered] = provider.models();
    assert.equal(offered?.model.name, 'Qwen/Qwen3-8B');
    assert.deepEqual([offered.created, offered.ownedBy, offered.price], [1_763_650_000, 'vllm', null]);
    assert.equal(offered.model.contextTokensMax, 40_960);
    assert.equal(provider.health(), 'ok');
  });

  test('a configured list is offered at once and gets sizes later', async (t) => {
    const { provider } = await open(t, { list: vllm }, { models: ['Qwen/Qwen3-8B', 'other'] });
    assert.deepEqual(
      provider.models().map(({ model }) => model.name),
      ['Qwen/Qwen3-8B', 'other'],
    );
    await provider.refresh(signal);
    assert.deepEqual(
      provider.models().map(({ model }) => model.contextTokensMax),
      [40_960, null],
    );
  });

  test('shows which server it is: vLLM continues a prefill, reports stops and counts tokens', async (t) => {
    const { server, provider } = await openChat(
      t,
      ({ path }) =>
        path === '/v1/models'
          ? json(vllm)
          : path === '/tokenize'
            ? json({ count: 17, max_model_len: 40_960 })
            : hello,
      { models: '*' },
    );
    await provider.refresh(signal);
    const model = firstModel(provider);
    assert.equal(model.capabilities.prefill, true);
    assert.equal(await model.countTokens(plainRequest, signal), 17);
    const turns = [
      ...plainRequest.turns,
      { role: 'assistant', parts: [{ type: 'text', text: 'A kea' }] },
    ] as const;
    await collect(model, { turns, stop: ['END'], effort: 'none', topK: 5 });
    const sent = server.requests.at(-1)?.body ?? {};
    assert.deepEqual(
      [sent['continue_final_message'], sent['add_generation_prompt'], sent['stop'], sent['top_k']],
      [true, false, ['END'], 5],
    );
    assert.deepEqual(sent['chat_template_kwargs'], { enable_thinking: false });
  });

  test('llama-server renders and counts, and an estimate stands in when it does not', async (t) => {
    let counts = true;
    const list = { data: [{ id: 'x', owned_by: 'llamacpp', meta: { n_ctx_train: 32_768 } }] };
    const { server, provider } = await openChat(
      t,
      ({ path, body }) => {
        if (path === '/v1/models') return json(list);
        if (path === '/props') return json({ default_generation_settings: { n_ctx: 4_096 } });
        if (path === '/apply-template' && counts) return json({ prompt: '<s>What is a kea?' });
        if (path === '/tokenize') return json({ tokens: JSON.stringify(body['content']).split(' ') });
        return json({ error: 'x' }, 404);
      },
      { models: '*' },
    );
    await provider.refresh(signal);
    const model = firstModel(provider);
    assert.equal(model.contextTokensMax, 4_096);
    assert.equal(await model.countTokens(plainRequest, signal), 4);
    counts = false;
    assert.ok((await model.countTokens(plainRequest, signal)) > 4);
    assert.equal(server.requests.at(-1)?.path, '/apply-template');
  });

  test('models stay the same objects until something about them changes', async (t) => {
    let length = 4_096;
    const list = () => ({
      data: [
        { id: 'a', max_model_len: 512 },
        { id: 'b', max_model_len: length },
      ],
    });
    const { provider } = await openChat(t, () => json(list()), { models: '*' });
    await provider.refresh(signal);
    const before = provider.models();
    await provider.refresh(signal);
    assert.equal(provider.models(), before);
    length = 8_192;
    await provider.refresh(signal);
    const after = provider.models();
    assert.deepEqual([after[0] === before[0], after[1] === before[1]], [true, false]);
    assert.equal(after[1]?.model.contextTokensMax, 8_192);
  });

  test('a list that fails keeps what was known and shows in health', async (t) => {
    let works = true;
    const { provider } = await openChat(t, () => (works ? json(vllm) : json({ error: 'x' }, 500)), {
      models: '*',
    });
    await provider.refresh(signal);
    works = false;
    await provider.refresh(signal);
    assert.equal(provider.health(), 'down');
    assert.equal(provider.models().length, 1);
    works = true;
    await provider.refresh(signal);
    assert.equal(provider.health(), 'ok');
  });

  test('a server without a list is no server that is down, when its models are configured', async (t) => {
    const { provider } = await open(t, {});
    await provider.refresh(signal);
    assert.equal(provider.health(), 'ok');
    const asked = await open(t, {}, { models: '*' });
    await asked.provider.refresh(signal);
    assert.equal(asked.provider.health(), 'down');
  });

  test('a key that may ask models and not for their list is of use', async (t) => {
    for (const [status, health] of [
      [403, 'ok'],
      [401, 'down'],
    ] as const) {
      const { provider } = await openChat(t, ({ method }) => (method === 'GET' ? json({}, status) : hello));
      await provider.refresh(signal);
      assert.equal(provider.health(), health);
    }
  });

  test('an abort ends a refresh without a verdict', async (t) => {
    const { provider } = await openChat(t, () => [hang]);
    await provider.refresh(AbortSignal.timeout(50));
    assert.equal(provider.health(), 'ok');
  });

  test('an Azure deployment is its own list', async (t) => {
    const { server, provider } = await openChat(t, () => hello, {
      models: '*',
      baseUrl: 'http://127.0.0.1:9/openai/deployments/my%20birds?api-version=2025-01-01',
    });
    await provider.refresh(signal);
    assert.deepEqual(
      provider.models().map(({ model }) => model.name),
      ['my birds'],
    );
    assert.equal(server.requests.length, 0);
  });
});
