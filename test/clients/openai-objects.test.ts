import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { scriptedProvider } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

/** The unmodified OpenAI client: models and embeddings of its own surface. */

const server = await startServer(
  { after },
  {
    providers: [scriptedProvider('lab', { echo: { created: 5, ownedBy: 'me' }, 'deep/thought': {} })],
    config: 'aliases: { models: { text-embedding-3-small: svc-embed-v1-0.6b, gpt-5.5: lab/echo } }\n',
  },
);
const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
const size = 1_024;

suite('models', () => {
  test('are listed, and found by a name with its slash, encoded or not, and by an alias', async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    assert.ok(ids.includes('lab/echo'));
    const echo = { id: 'lab/echo', object: 'model', created: 5, owned_by: 'me' };
    assert.deepEqual({ ...(await client.models.retrieve('lab/echo')) }, echo);
    assert.deepEqual(await (await fetch(`${server.url}/openai/v1/models/lab/echo`)).json(), echo);
    assert.equal((await client.models.retrieve('gpt-5.5')).id, 'gpt-5.5');
    assert.equal((await client.models.retrieve('lab/deep/thought')).id, 'lab/deep/thought');
    const plain = await fetch(`${server.url}/openai/v1/models/lab/deep/thought`);
    assert.equal(((await plain.json()) as { readonly id: string }).id, 'lab/deep/thought');
  });

  test('one that is not there is 404 in the words of the vendor', async () => {
    const failure = await client.models.retrieve('lab/nothing').catch((error: unknown) => error);
    assert.ok(failure instanceof OpenAI.NotFoundError);
    assert.deepEqual(
      [failure.code, failure.type, failure.param],
      ['model_not_found', 'invalid_request_error', 'model'],
    );
    assert.match(failure.requestID ?? '', /^[0-9a-f-]{36}$/);
  });
});

const lengthOf = (vector: readonly number[]) => Math.hypot(...vector);

suite('embeddings', () => {
  const model = 'text-embedding-3-small';

  test('come as floats of length 1, the same by either encoding', async () => {
    const input = ['Where is my card?', 'A parrot.'];
    const { data, usage } = await client.embeddings.create({ model, input });
    const plain = await client.embeddings.create({ model, input, encoding_format: 'float' });
    assert.deepEqual(
      data.map(({ embedding }) => embedding.length),
      [size, size],
    );
    for (const [at, { embedding }] of data.entries()) {
      assert.ok(Math.abs(lengthOf(embedding) - 1) < 1e-5);
      assert.deepEqual([...embedding], plain.data[at]?.embedding);
    }
    assert.ok(usage.prompt_tokens > 0 && usage.total_tokens === usage.prompt_tokens);
  });

  test('dimensions cut them, and leave them at length 1', async () => {
    const { data } = await client.embeddings.create({ model, input: 'A parrot.', dimensions: 64 });
    const embedding = data[0]?.embedding ?? [];
    assert.equal(embedding.length, 64);
    assert.ok(Math.abs(lengthOf(embedding) - 1) < 1e-5);
    await assert.rejects(
      client.embeddings.create({ model, input: 'a', dimensions: size + 1 }),
      OpenAI.BadRequestError,
    );
  });

  test('what is not read is refused, and what has no effect is named', async () => {
    const refusal = await client.embeddings.create({ model, input: [1, 2] }).catch((error: unknown) => error);
    assert.ok(refusal instanceof OpenAI.BadRequestError);
    assert.equal(refusal.param, 'input.0');
    const reply = await server.post('/openai/v1/embeddings', {
      model,
      input: 'a',
      user: 'me',
      brand_new: true,
    });
    assert.equal(reply.headers.get('x-nestor-ignored'), 'user,brand_new');
  });
});
