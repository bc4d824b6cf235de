import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeTestModel } from '../support/gguf.ts';
import { startServer } from '../support/server.ts';

const path = '/v1/embeddings';
const model = 'svc-embed-v1-0.6b';

test('a server that is given a file answers embeddings with it, and refuses what it cannot read', async (t) => {
  const file = await writeTestModel({ shape: 'bert', pooling: 1 });
  const server = await startServer(t, { env: { NESTOR_EMBEDDINGS_PATH: file } });
  const response = await server.post(path, { model, input: ['the bird', 'a card'] });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-nestor-engine'), 'local');
  const body = (await response.json()) as {
    readonly data: readonly { readonly embedding: string }[];
    readonly usage: { readonly prompt_tokens: number };
  };
  const [first = '', second] = body.data.map(({ embedding }) => embedding);
  assert.notEqual(first, second);
  assert.equal(Buffer.from(first, 'base64').length, 1024);
  assert.equal(body.usage.prompt_tokens, 8);
  const refused = await server.post(path, { model, input: 'the '.repeat(511) });
  assert.equal(refused.status, 422);
  const { detail } = (await refused.json()) as { readonly detail: readonly { readonly msg: string }[] };
  assert.deepEqual(detail, [
    {
      loc: ['body', 'input'],
      msg: 'a text has 513 tokens, the local embedding model takes at most 512',
      type: 'value_error',
    },
  ]);
});

test('with a file that is no embedding model the server serves, is not ready and says so', async (t) => {
  const file = await writeTestModel();
  const server = await startServer(t, { env: { NESTOR_EMBEDDINGS_PATH: file } });
  const response = await server.post(path, { model, input: 'a' });
  assert.equal(response.status, 503);
  const ready = await fetch(`${server.url}/readyz`);
  assert.equal(ready.status, 503);
  const { checks } = (await ready.json()) as { readonly checks: { readonly embeddings: string } };
  assert.equal(checks.embeddings, 'down');
});
