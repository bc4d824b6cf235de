import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { createPerplexity } from '@ai-sdk/perplexity';
import Perplexity, { BadRequestError, UnprocessableEntityError } from '@perplexity-ai/perplexity_ai';
import { embedMany } from 'ai';

import { startServer } from '../support/server.ts';

const server = await startServer({ after });
const client = new Perplexity({ apiKey: server.key, baseURL: server.url, maxRetries: 0 });
const input = ['The kea is a parrot.', 'A moss grows slowly.'];

test('@perplexity-ai/perplexity_ai: embeddings.create', async () => {
  const answer = await client.embeddings.create({ model: 'pplx-embed-v1-4b', input, dimensions: 256 });
  assert.equal(answer.model, 'pplx-embed-v1-4b');
  const sizes = answer.data?.map(({ embedding }) => Buffer.from(embedding ?? '', 'base64').length);
  assert.deepEqual(sizes, [256, 256]);
  assert.equal(answer.usage?.cost?.currency, 'USD');
});

test('@perplexity-ai/perplexity_ai: contextualizedEmbeddings.create', async () => {
  const answer = await client.contextualizedEmbeddings.create({
    model: 'pplx-embed-context-v1-0.6b',
    input: [input, ['Alone.']],
    encoding_format: 'base64_binary',
  });
  const sizes = answer.data?.map(({ data }) =>
    data?.map(({ embedding }) => Buffer.from(embedding ?? '', 'base64').length),
  );
  assert.deepEqual(sizes, [[128, 128], [128]]);
});

test('@perplexity-ai/perplexity_ai: refusals are its own error classes and are not repeated', async () => {
  const patient = new Perplexity({ apiKey: server.key, baseURL: server.url, maxRetries: 3 });
  await assert.rejects(
    patient.embeddings.create({ model: 'nobody' as 'pplx-embed-v1-4b', input }),
    (error) => error instanceof BadRequestError && error.message.includes('Permitted models'),
  );
  await assert.rejects(
    patient.embeddings.create({ model: 'pplx-embed-v1-4b', input: [] }),
    (error) => error instanceof UnprocessableEntityError,
  );
});

test('@ai-sdk/perplexity: embedMany', async () => {
  const provider = createPerplexity({ apiKey: server.key, baseURL: server.url });
  const { embeddings, usage } = await embedMany({
    model: provider.embeddingModel('pplx-embed-v1-0.6b'),
    values: input,
    maxRetries: 0,
  });
  assert.deepEqual(
    embeddings.map(({ length }) => length),
    [1024, 1024],
  );
  assert.ok(embeddings.flat().every((value) => Number.isInteger(value) && Math.abs(value) <= 127));
  assert.equal(usage.tokens, 11);
});
