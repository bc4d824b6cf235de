import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRandom, mutate, toNode, toText } from '../support/mutate.ts';
import { finish, says, scriptedModels, text } from '../support/models.ts';
import { roundsOf } from '../support/rounds.ts';
import { startRouter } from '../support/router.ts';

/** Change it to search elsewhere; a failure names the body that failed. */
const seed = 20_261_120;
const rounds = roundsOf(300, 1_500);
const parallel = 16;

const models = scriptedModels({ 'lab/echo': says([text('ok')], finish()) });
const strict = await startRouter({ after }, { models });
const lenient = await startRouter({ after }, { models, lenient: true });

const model = 'lab/echo';
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const messagesBase = {
  model,
  max_tokens: 64,
  system: [{ type: 'text', text: 's' }],
  stop_sequences: ['END'],
  temperature: 0.5,
  thinking: { type: 'disabled' },
  metadata: { user_id: 'u' },
  tools: [{ name: 'look', description: 'Looks.', input_schema: schema }],
  tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
        { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 'b' } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'r' }] }],
    },
  ],
};
const chatBase = {
  model,
  max_tokens: 64,
  stop: ['END'],
  tools: [{ type: 'function', function: { name: 'look', parameters: schema, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'look' } },
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: false } },
  stream_options: { include_usage: true },
  messages: [
    { role: 'system', content: 's' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ],
};

const targets = [
  { router: strict, path: '/v1/messages', base: messagesBase },
  { router: lenient, path: '/v1/messages', base: messagesBase },
  { router: strict, path: '/router/v1/chat/completions', base: chatBase },
];

test('whatever is done to a valid body, it is answered or refused by name, and nothing breaks', async () => {
  const random = createRandom(seed);
  const seen = new Map<number, number>();
  const one = async () => {
    const { router, path, base } = random.pick(targets);
    let node = mutate(toNode(base), random);
    while (random.next() < 0.3) node = mutate(node, random);
    const body = toText(node);
    const response = await router.post(path, body);
    const received = await response.text();
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
    assert.ok([200, 400].includes(response.status), `${response.status} ${received} for ${path} ${body}`);
    if (response.status === 400) {
      const { error } = JSON.parse(received) as { error: { type: string; message: string } };
      assert.equal(error.type, 'invalid_request_error', body);
      assert.ok(error.message !== '', body);
    }
  };
  for (let round = 0; round < rounds; round += parallel) {
    await Promise.all(Array.from({ length: parallel }, one));
  }
  assert.ok(
    (seen.get(200) ?? 0) > rounds / 20 && (seen.get(400) ?? 0) > rounds / 5,
    JSON.stringify([...seen]),
  );
});
