import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { chatModels, startChat } from '../support/chat.ts';
import { finish, says, text } from '../support/models.ts';
import { scriptedPages } from '../support/tools.ts';

/** Everything that contract 9.1 to 9.3 and 11.2 refuse. */
const chat = await startChat(
  { after },
  { models: chatModels(says([text('A.')], finish())), pages: scriptedPages({}) },
);
const lenient = await startChat(
  { after },
  { models: chatModels(says([text('A.')], finish())), settings: { lenientRoles: true } },
);

const user = { role: 'user', content: 'a' };
const assistant = { role: 'assistant', content: 'b' };
const system = { role: 'system', content: 'c' };
const calls = (...ids: readonly string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'd' });
const body = (more: object) => ({ model: 'svc', messages: [user], ...more });
const order =
  'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).';
const models = 'Permitted models: svc, svc-pro, svc-reasoning-pro, svc-deep-research';
const removed = (family: string) =>
  `Model '${family}-reasoning' was removed on 15 December 2025. Use '${family}-reasoning-pro'.`;
const fn = { type: 'function', function: { name: 'f' } };
const tokens = 'max_tokens must be an integer between 1 and 128000';
const form = 'response_format.type must be text, json_schema or regex';
const schema = 'response_format.json_schema.schema is not a valid JSON Schema: ';
const regex = 'response_format.regex.regex is not a valid expression';

/** Body, parameter, message; a message that ends in a colon is a beginning. */
const refused: readonly (readonly [object | string, string | null, string | RegExp])[] = [
  [{ messages: [user] }, 'model', 'Missing required field "model"'],
  [body({ model: 'x' }), 'model', `Invalid model 'x'. ${models}`],
  [body({ model: 7 }), 'model', `Invalid model '7'. ${models}`],
  [body({ model: 'SVC' }), 'model', `Invalid model 'SVC'. ${models}`],
  [body({ model: 'svc-reasoning' }), 'model', removed('svc')],
  [body({ model: 'sonar-reasoning' }), 'model', removed('sonar')],
  [{ model: 'svc' }, 'messages', 'messages must be a non-empty array'],
  [body({ messages: [] }), 'messages', 'messages must be a non-empty array'],
  [body({ messages: [{ role: 'robot', content: 'a' }] }), 'messages.0.role', /^role must be system/],
  [body({ messages: [{ role: 'user' }] }), 'messages.0.content', /content must be a string/],
  [body({ messages: [{ role: 'user', content: '' }] }), 'messages.0.content', 'content must not be empty'],
  [body({ messages: [{ role: 'user', content: [] }] }), 'messages.0.content', 'content must not be empty'],
  [body({ messages: [{ role: 'user', content: null }] }), 'messages.0.content', /must be a string/],
  [
    body({ messages: [user, { role: 'assistant', content: null }, user] }),
    'messages.1.content',
    /beside tool_calls/,
  ],
  [body({ messages: [user, user] }), 'messages', order],
  [body({ messages: [assistant, user] }), 'messages', order],
  [body({ messages: [user, assistant] }), 'messages', order],
  [body({ messages: [user, assistant, assistant, user] }), 'messages', order],
  [body({ messages: [user, system] }), 'messages', order],
  [body({ messages: [system] }), 'messages', order],
  [body({ messages: [user, calls('1', '2'), tool('1')] }), 'messages', order],
  [body({ messages: [user, calls('1'), user] }), 'messages', order],
  [body({ messages: [user, calls('1'), tool('1'), tool('1')] }), 'messages', order],
  [
    body({ messages: [user, calls('1'), tool('2')] }),
    'messages.2.tool_call_id',
    "No tool call before it has the id '2'",
  ],
  [body({ messages: [tool('2')] }), 'messages.0.tool_call_id', "No tool call before it has the id '2'"],
  [body({ tools: [fn] }), 'tools', 'Tool calling is not supported for this model'],
  [
    body({ tools: [fn], model: 'svc-deep-research' }),
    'tools',
    'Tool calling is not supported for this model',
  ],
  [body({ tools: [fn, fn], model: 'svc-pro' }), 'tools.1.function.name', "Two tools are named 'f'"],
  [body({ tools: [{ type: 'web' }], model: 'svc-pro' }), 'tools.0.type', /type function/],
  [body({ tool_choice: 'required' }), 'tool_choice', 'tool_choice required needs tools'],
  [body({ tool_choice: 'must' }), 'tool_choice', /none, auto, required/],
  [
    body({ model: 'svc-pro', tools: [fn], tool_choice: { type: 'function', function: { name: 'g' } } }),
    'tool_choice.function.name',
    "No tool is named 'g'",
  ],
  [body({ response_format: { type: 'json_object' } }), 'response_format.type', form],
  [body({ response_format: {} }), 'response_format.type', form],
  [
    body({ response_format: { type: 'json_schema' } }),
    'response_format.json_schema',
    /not a valid JSON Schema/,
  ],
  [
    body({ response_format: { type: 'json_schema', json_schema: { schema: 'x' } } }),
    'response_format.json_schema.schema',
    `${schema}it must be an object`,
  ],
  [
    body({ response_format: { type: 'json_schema', json_schema: { schema: { type: 'strange' } } } }),
    'response_format.json_schema.schema',
    /^response_format\.json_schema\.schema is not a valid JSON Schema: /,
  ],
  [body({ response_format: { type: 'regex', regex: { regex: '(' } } }), 'response_format.regex.regex', regex],
  [
    body({ response_format: { type: 'regex', regex: { regex: '(?=a)' } } }),
    'response_format.regex.regex',
    regex,
  ],
  [body({ response_format: { type: 'regex', regex: { regex: '' } } }), 'response_format.regex.regex', regex],
  [body({ max_tokens: 0 }), 'max_tokens', tokens],
  [body({ max_tokens: 128_001 }), 'max_tokens', tokens],
  [body({ max_tokens: 1.5 }), 'max_tokens', tokens],
  [body({ max_tokens: '5' }), 'max_tokens', tokens],
  [body({ max_completion_tokens: 0 }), 'max_completion_tokens', tokens],
  [body({ max_tokens: 5, max_completion_tokens: 6 }), 'max_tokens', /differ/],
  [body({ temperature: 2.1 }), 'temperature', 'temperature must be a number between 0 and 2'],
  [body({ top_p: -1 }), 'top_p', 'top_p must be a number between 0 and 1'],
  [body({ top_k: 2_049 }), 'top_k', 'top_k must be an integer between 0 and 2048'],
  [body({ presence_penalty: 3 }), 'presence_penalty', /between -2 and 2/],
  [body({ frequency_penalty: 'x' }), 'frequency_penalty', /between -2 and 2/],
  [body({ stop: '' }), 'stop', /stop must be/],
  [body({ stop: Array.from({ length: 17 }, () => 'a') }), 'stop', /stop must be/],
  [body({ stream: 'yes' }), 'stream', /stream must be/],
  [body({ stream_mode: 'slow' }), 'stream_mode', 'stream_mode must be full or concise'],
  [body({ reasoning_effort: 'max' }), 'reasoning_effort', /minimal, low, medium or high/],
  [body({ search_mode: 'x' }), 'search_mode', 'search_mode must be web, academic or sec'],
  [
    body({ web_search_options: { search_context_size: 'huge' } }),
    'web_search_options.search_context_size',
    /low, medium or high/,
  ],
  [body({ web_search_options: { search_type: 'x' } }), 'web_search_options.search_type', /fast, pro or auto/],
  [body({ num_search_results: 51 }), 'num_search_results', /between 1 and 50/],
  [body({ num_images: 0 }), 'num_images', /between 1 and 30/],
  [body({ search_domain_filter: ['https://a.example'] }), 'search_domain_filter.0', /host name/],
  [body({ search_domain_filter: ['a.example/path'] }), 'search_domain_filter.0', /host name/],
  [
    body({ search_domain_filter: Array.from({ length: 21 }, (_, at) => `a${at}.example`) }),
    'search_domain_filter',
    /must have at most 20 items/,
  ],
  [body({ search_language_filter: ['deu'] }), 'search_language_filter.0', /two-letter/],
  [body({ search_recency_filter: 'decade' }), 'search_recency_filter', /permitted values/],
  [
    body({ search_recency_filter: 'day', search_after_date_filter: '2026-01-01' }),
    'search_recency_filter',
    /cannot be combined/,
  ],
  [body({ search_after_date_filter: '2026-02-30' }), 'search_after_date_filter', /date of the calendar/],
  [body({ search_before_date_filter: '31/01/2026' }), 'search_before_date_filter', /date of the calendar/],
  [
    body({ search_after_date_filter: '2026-02-01', search_before_date_filter: '1/1/2026' }),
    'search_after_date_filter',
    /is later than/,
  ],
  [body({ image_format_filter: ['.png'] }), 'image_format_filter.0', /without dot/],
  [
    body({
      messages: [{ role: 'user', content: [{ type: 'video_url', video_url: 'https://a.example/v' }] }],
    }),
    'messages.0.content.0.video_url',
    'This model does not accept video',
  ],
  [
    body({ messages: [{ role: 'user', content: [{ type: 'sound', sound: 'x' }] }] }),
    'messages.0.content.0.type',
    /content parts must be/,
  ],
  [
    body({ messages: [{ role: 'user', content: [{ type: 'file_url', file_url: 'not base64!' }] }] }),
    'messages.0.content.0.file_url',
    /must be an https address/,
  ],
  [
    body({ messages: [{ role: 'user', content: [{ type: 'file_url', file_url: 'http://a.example/x' }] }] }),
    'messages.0.content.0.file_url',
    /must be an https address/,
  ],
  [
    body({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'data:image/bmp;base64,AAAA' }] }],
    }),
    'messages.0.content.0.image_url',
    /PNG, JPEG, WEBP or GIF/,
  ],
  ['{', null, 'Request body is not valid JSON'],
  ['[]', null, 'Request body must be a JSON object'],
];

suite('refused', () => {
  for (const [sent, param, message] of refused) {
    const name = typeof sent === 'string' ? sent : JSON.stringify(sent).slice(0, 120);
    test(`${String(param)}: ${name}`, async () => {
      const response = await chat.post(sent);
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      assert.equal(response.status, 400);
      if (typeof message === 'string') assert.equal(error['message'], message);
      else assert.match(String(error['message']), message);
      assert.deepEqual([error['type'], error['code'], error['param']], ['invalid_request', 400, param]);
      assert.equal(response.headers.get('x-should-retry'), 'false');
    });
  }
});

suite('accepted', () => {
  const accepted: readonly (readonly [string, object])[] = [
    [
      'system messages first, developer among them',
      { messages: [system, { role: 'developer', content: 'e' }, user] },
    ],
    ['turns that alternate', { messages: [user, assistant, user] }],
    [
      'results of calls in any order, then the user',
      { messages: [user, calls('1', '2'), tool('2'), tool('1'), user] },
    ],
    ['results of calls at the end', { messages: [user, calls('1'), tool('1')] }],
    [
      'empty content beside the user',
      { messages: [{ role: 'system', content: '' }, user, { role: 'assistant', content: '' }, user] },
    ],
    ['a reply as it came', { messages: [user, { ...assistant, reasoning_steps: [{ thought: 'x' }] }, user] }],
    [
      'null for everything that may be absent',
      {
        stop: null,
        tools: null,
        response_format: null,
        temperature: null,
        search_mode: null,
        web_search_options: null,
        max_tokens: null,
      },
    ],
    [
      'the largest number of tokens under both names',
      { max_tokens: 128_000, max_completion_tokens: 128_000 },
    ],
    ['sixteen stops', { stop: Array.from({ length: 16 }, (_, at) => `s${at}`) }],
    ['domains to allow and to deny', { search_domain_filter: ['a.example', '-b.a.example'] }],
    ['text as a format', { response_format: { type: 'text' } }],
    ['tools on a model that has them', { model: 'svc-reasoning-pro', tools: [fn], tool_choice: 'auto' }],
  ];
  for (const [name, more] of accepted)
    test(name, async () => {
      const response = await chat.post(body(more));
      assert.equal(response.status, 200, await response.text());
    });

  test('lenient roles merge neighbours, and still end with a question', async () => {
    const merged = await lenient.post(
      body({ messages: [assistant, user, user, system, assistant, assistant, user] }),
    );
    assert.equal(merged.status, 200);
    const open = await lenient.post(body({ messages: [user, assistant] }));
    assert.equal(open.status, 400);
  });
});
