import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import Perplexity, { AuthenticationError, UnprocessableEntityError } from '@perplexity-ai/perplexity_ai';

import { startServer } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';
import { keaReply } from '../support/upstream-search.ts';

const searxng = await startUpstream({ after }, () => ({ json: keaReply }));
const server = await startServer(
  { after },
  { config: `search: { engines: [{ type: searxng, url: "${searxng.url}" }], timeout_s: 60 }\n` },
);
const client = new Perplexity({ apiKey: server.key, baseURL: server.url, maxRetries: 0 });

test('@perplexity-ai/perplexity_ai: search.create with one query', async () => {
  const answer = await client.search.create({
    query: 'kea parrot',
    max_results: 5,
    max_tokens_per_page: 256,
  });
  assert.deepEqual(
    answer.results.map(({ title, url, date }) => [title, url, date]),
    [
      ['Kea - Wiki', 'https://wiki.invalid/wiki/Kea?utm_source=searx', undefined],
      ['Kea: New Zealand native birds', 'https://www.birds.invalid/kea', '2024-05-17'],
    ],
  );
  assert.match(answer.results[0]?.snippet ?? '', /large parrot/);
});

test('@perplexity-ai/perplexity_ai: search.create with several queries and filters', async () => {
  const answer = await client.search.create({
    query: ['kea parrot', 'kea bird', 'alpine parrot'],
    search_domain_filter: ['birds.invalid'],
    search_after_date_filter: '5/1/2024',
    country: 'NZ',
  });
  assert.deepEqual(
    answer.results.map(({ url }) => url),
    ['https://www.birds.invalid/kea'],
  );
});

test('@perplexity-ai/perplexity_ai: refusals are its own error classes', async () => {
  await assert.rejects(
    client.search.create({ query: '' }),
    (error) => error instanceof UnprocessableEntityError,
  );
  const stranger = new Perplexity({ apiKey: 'nobody', baseURL: server.url, maxRetries: 0 });
  await assert.rejects(
    stranger.search.create({ query: 'kea' }),
    (error) => error instanceof AuthenticationError,
  );
});
