import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Perplexity, {
  APIError,
  BadRequestError,
  ConflictError,
  NotFoundError,
} from '@perplexity-ai/perplexity_ai';
import { chatProvider } from '../support/chat-provider.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';

/** The unmodified client of the upstream service, whose own model names it sends. */
const server = await startServer({ after }, chatProvider());
const client = new Perplexity({ apiKey: server.key, baseURL: server.url, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'What is a kea?' }];

test('chat.completions.create', async () => {
  const reply = await client.chat.completions.create({ model: 'sonar', messages, disable_search: true });
  assert.equal(reply.choices[0]?.message.content, 'The kea is a parrot.');
  assert.equal(reply.model, 'sonar');
  assert.equal(reply.usage?.cost.request_cost, 0);
});

for (const mode of ['full', 'concise'] as const)
  test(`chat.completions.create, streamed, ${mode}`, async () => {
    const stream = await client.chat.completions.create({
      model: 'sonar-reasoning-pro',
      messages,
      stream: true,
      stream_mode: mode,
    });
    let text = '';
    const objects = new Set<string>();
    for await (const chunk of stream) {
      objects.add(chunk.object ?? '');
      const delta = chunk.choices[0]?.delta.content;
      if (typeof delta === 'string') text += delta;
    }
    assert.match(text, /^<think>\n[^]*<\/think>\n\nThe kea is a parrot\.$/);
    assert.equal(objects.has('chat.completion.done'), mode === 'concise');
  });

test('what is refused is its own error class', async () => {
  await assert.rejects(
    client.chat.completions.create({ model: 'sonar-reasoning', messages }),
    (error) => error instanceof BadRequestError && error.message.includes('sonar-reasoning-pro'),
  );
});

test('async.chat.completions: create, get until it is completed, list', async () => {
  const request = { model: 'sonar-deep-research' as const, messages };
  const created = await client.async.chat.completions.create({ request, idempotency_key: 'k1' });
  assert.equal(created.status, 'CREATED');
  const job = await poll(
    () => client.async.chat.completions.get(created.id),
    ({ status }) => status === 'COMPLETED' || status === 'FAILED',
  );
  const content = job.response?.choices[0]?.message.content;
  assert.ok(typeof content === 'string' && content.endsWith('The kea is a parrot.'));
  const { requests, next_token: token } = await client.async.chat.completions.list();
  assert.deepEqual([requests.map(({ id }) => id), token], [[created.id], '']);
  const other = { model: 'sonar' as const, messages };
  await assert.rejects(
    client.async.chat.completions.create({ request: other, idempotency_key: 'k1' }),
    ConflictError,
  );
  await assert.rejects(
    client.async.chat.completions.get('00000000-0000-4000-8000-000000000000'),
    NotFoundError,
  );
  await assert.rejects(
    client.async.chat.completions.get('abc'),
    (error) => error instanceof APIError && error.status === 422,
  );
});
