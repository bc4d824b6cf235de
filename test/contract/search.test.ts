import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';

import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { countTokens } from '../../src/kernel/kit/words.ts';
import { createManualClock } from '../support/clock.ts';
import { startServer, type TestScope } from '../support/server.ts';
import { startSite } from '../support/site.ts';
import { realPages } from '../support/site-pages.ts';
import { startUpstream, upstreamSecret, type UpstreamReply } from '../support/upstream.ts';
import { poll } from '../support/until.ts';

interface Result {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly date?: string;
  readonly last_updated?: string;
}
interface Answer {
  readonly id: string;
  readonly results: readonly Result[];
  readonly server_time?: string;
}
interface Refusal {
  readonly detail?: readonly {
    readonly loc: readonly string[];
    readonly msg: string;
    readonly type: string;
  }[];
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: unknown;
    readonly param: string | null;
  };
}

const clock = createManualClock(Date.UTC(2026, 10, 20, 12));
const state: { fail: UpstreamReply | null } = { fail: null };

/** A SearXNG that finds what it is asked for: five hits per query, the first the same for all. */
const searxng = await startUpstream({ after }, ({ path }) => {
  if (state.fail !== null) return state.fail;
  const words = new URL(path, 'http://x').searchParams.get('q') ?? '';
  const text = `${words}. `.repeat(300);
  const results = Array.from({ length: 5 }, (_, i) => ({
    url:
      i === 0
        ? 'https://shared.invalid/page'
        : `https://${words.length}-${i}.invalid/${encodeURIComponent(words.slice(0, 20))}`,
    title: `${words} ${i}`.slice(0, 100),
    content: text,
    ...(i % 2 === 0 ? {} : { publishedDate: '2024-05-17T00:00:00' }),
  }));
  return { json: { query: words, results } };
});
/** A busy machine answers late. */
const start = (scope: TestScope, timeoutS: number) =>
  startServer(scope, {
    clock,
    config: `search: { engines: [{ type: searxng, url: "${searxng.url}" }], timeout_s: ${timeoutS}, cache_s: 0 }\nprices: { search: 0.01 }\n`,
    env: { NESTOR_RATE_LIMITS_ENABLED: 'false' },
  });
const server = await start({ after }, 60);

async function search(body: unknown, path = '/search'): Promise<Answer> {
  const reply = await server.post(path, body);
  assert.equal(reply.status, 200, await reply.clone().text());
  return (await reply.json()) as Answer;
}

async function refuse(body: unknown, status = 422): Promise<Refusal> {
  const reply = await server.post('/search', body);
  assert.equal(reply.status, status, await reply.clone().text());
  return (await reply.json()) as Refusal;
}

suite('POST /search', () => {
  test('trap 64: no date is null, and five queries are one flat list', async () => {
    const queries = ['kea', 'moss on stones', 'alpine trains', 'night sky photography', 'how bread is baked'];
    const { results, id } = await search({ query: queries, max_results: 20 });
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(results.length, 20);
    assert.equal(new Set(results.map(({ url }) => url)).size, 20, 'each address once');
    for (const result of results) {
      assert.ok(!('date' in result) || /^\d{4}-\d{2}-\d{2}$/.test(result.date ?? ''));
      const known = new Set(['title', 'url', 'snippet', 'date', 'last_updated']);
      assert.deepEqual(
        Object.keys(result).filter((name) => !known.has(name)),
        [],
      );
    }
    assert.ok(results.some((result) => 'date' in result) && results.some((result) => !('date' in result)));
    // The first of each query, where they are not the same, before the second of any.
    assert.equal(results[0]?.url, 'https://shared.invalid/page');
    const second = results.slice(1, 6).map(({ url }) => new URL(url).hostname.split('-')[1]);
    assert.deepEqual(new Set(second), new Set(['1.invalid']));
  });

  test('the engines that were asked are told in a header, with what came of them', async () => {
    const headerOf = async (path: string, body: object) => {
      const reply = await server.post(path, body);
      assert.equal(reply.status, 200, await reply.clone().text());
      return reply.headers.get('x-nestor-search-engines');
    };
    const queries = ['kea', 'moss on stones'];
    // On a busy machine an engine may be late.
    const asked = /^searxng;hits=(?:10|5)(?:;failed=timeout)?, corpus;hits=0(?:;failed=timeout)?$/;
    assert.match((await headerOf('/search', { query: queries })) ?? '', asked);
    const messages = [{ role: 'user', content: 'What is moss?' }];
    const chat = { model: 'svc', messages };
    assert.match((await headerOf('/chat/completions', chat)) ?? '', asked);
    assert.match((await headerOf('/openai/v1/chat/completions', chat)) ?? '', asked);
    assert.match((await headerOf('/chat/completions', { ...chat, stream: true })) ?? '', asked);
    assert.equal(await headerOf('/chat/completions', { ...chat, disable_search: true }), null);
    const concise = { ...chat, stream: true, stream_mode: 'concise' };
    assert.match((await headerOf('/chat/completions', concise)) ?? '', asked);
  });

  test('budgets hold for a result and for all', async () => {
    const count = ({ results }: Answer) => results.map(({ snippet }) => countTokens(snippet));
    const small = count(
      await search({ query: ['kea parrot', 'moss'], max_tokens: 200, max_tokens_per_page: 40 }),
    );
    assert.ok(
      small.every((tokens) => tokens <= 40 && tokens > 0),
      small.join(' '),
    );
    assert.ok(small.reduce((sum, tokens) => sum + tokens, 0) <= 200);
    const low = count(await search({ query: 'kea parrot', search_context_size: 'low' }));
    assert.ok(low.every((tokens) => tokens <= 1_000));
    const explicit = count(await search({ query: 'kea parrot', search_context_size: 'low', max_tokens: 20 }));
    assert.ok(explicit.reduce((sum, tokens) => sum + tokens, 0) <= 20, 'explicit budgets win');
    assert.equal((await search({ query: 'kea', max_results: 1 })).results.length, 1);
  });

  test('country, language and filters reach the engine; both names of the dates do', async () => {
    const sent = () => new URL(searxng.requests.at(-1)?.path ?? '', 'http://x').searchParams;
    await search({
      query: 'kea',
      country: 'at',
      search_language_filter: ['de'],
      search_recency_filter: 'month',
      search_domain_filter: ['a.org', '-b.org'],
    });
    assert.deepEqual(
      [sent().get('language'), sent().get('time_range'), sent().get('q')],
      ['de-AT', 'month', 'kea site:a.org -site:b.org'],
    );
    for (const name of ['search_after_date_filter', 'search_after_date']) {
      const { results } = await search({ query: 'kea', [name]: '5/17/2024' });
      assert.ok(results.length > 0 && results.every(({ date }) => date === '2024-05-17'), name);
      assert.deepEqual((await search({ query: 'kea', [name]: '2024-05-18' })).results, []);
    }
  });

  test('the time of the server on request, unknown fields and nulls without effect, both paths', async () => {
    const answer = await search(
      { query: 'kea', display_server_time: true, unknown: 1, country: null, max_results: null },
      '/v1/search',
    );
    assert.equal(answer.server_time, '2026-11-20T12:00:00.000Z');
    assert.ok(!('server_time' in (await search({ query: 'kea' }))));
  });

  test('a mode without an engine of its own answers from the corpus, never 503', async () => {
    for (const body of [
      { search_mode: 'academic' },
      { search_mode: 'sec' },
      { search_type: 'people', max_results: 50 },
    ]) {
      const before = searxng.requests.length;
      assert.ok(Array.isArray((await search({ query: 'zzqx', ...body })).results));
      assert.equal(searxng.requests.length, before);
    }
  });

  test('everything that is wrong is 422 with both bodies', async () => {
    const cases: readonly (readonly [object, string, string])[] = [
      [{}, 'query', 'missing'],
      [{ query: '' }, 'query', 'string_too_short'],
      [{ query: 7 }, 'query', 'value_error'],
      [{ query: null }, 'query', 'value_error'],
      [{ query: [] }, 'query', 'too_short'],
      [{ query: ['a', ''] }, 'query.1', 'string_too_short'],
      [{ query: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'query', 'too_long'],
      [{ query: 'x'.repeat(8_193) }, 'query', 'string_too_long'],
      [{ query: 'a', max_results: 0 }, 'max_results', 'greater_than_equal'],
      [{ query: 'a', max_results: 21 }, 'max_results', 'less_than_equal'],
      [{ query: 'a', max_results: 100 }, 'max_results', 'less_than_equal'],
      [{ query: 'a', max_results: 51, search_type: 'people' }, 'max_results', 'less_than_equal'],
      [{ query: 'a', max_results: 1.5 }, 'max_results', 'int_type'],
      [{ query: 'a', max_tokens: 0 }, 'max_tokens', 'greater_than_equal'],
      [{ query: 'a', max_tokens_per_page: 1_000_001 }, 'max_tokens_per_page', 'less_than_equal'],
      [{ query: 'a', search_context_size: 'huge' }, 'search_context_size', 'enum'],
      [{ query: 'a', country: 'AUT' }, 'country', 'string_pattern_mismatch'],
      [{ query: 'a', search_mode: 'news' }, 'search_mode', 'enum'],
      [{ query: 'a', search_type: 'pro' }, 'search_type', 'enum'],
      [{ query: 'a', display_server_time: 'yes' }, 'display_server_time', 'bool_type'],
      [{ query: 'a', search_domain_filter: 'a.org' }, 'search_domain_filter', 'list_type'],
      [{ query: 'a', search_domain_filter: ['https://a.org'] }, 'search_domain_filter.0', 'value_error'],
      [{ query: 'a', search_language_filter: ['english'] }, 'search_language_filter.0', 'value_error'],
      [{ query: 'a', search_recency_filter: 'decade' }, 'search_recency_filter', 'enum'],
      [{ query: 'a', search_before_date: '2024-02-30' }, 'search_before_date', 'value_error'],
      [
        { query: 'a', search_recency_filter: 'day', search_after_date: '1/1/2024' },
        'search_recency_filter',
        'value_error',
      ],
      [
        { query: 'a', search_after_date_filter: '2/1/2024', search_before_date_filter: '1/1/2024' },
        'search_after_date_filter',
        'value_error',
      ],
    ];
    for (const [body, param, type] of cases) {
      const { detail, error } = await refuse(body);
      const label = `${JSON.stringify(body).slice(0, 80)}: ${error.message}`;
      assert.deepEqual([error.param, error.type, error.code], [param, 'validation_error', 422], label);
      assert.deepEqual(detail?.[0]?.loc, ['body', ...param.split('.')], label);
      assert.equal(detail?.[0]?.type, type, label);
    }
    const { error } = await refuse({ query: 'a', max_results: 100 });
    assert.match(error.message, /less than or equal to 20$/);
    for (const raw of ['', '[]', '{"query":"a"} x'])
      assert.equal((await refuse(raw)).detail?.[0]?.loc.join('.'), 'body');
    const twice = await refuse('{"query":"a","query":"b"}');
    assert.equal(twice.error.message, 'query: Duplicate key "query"');
    assert.deepEqual([twice.error.param, twice.detail?.[0]?.loc], ['query', ['body', 'query']]);
    const deep = await refuse(`{"query":${'['.repeat(64)}${']'.repeat(64)}}`);
    assert.deepEqual([deep.error.param, deep.detail?.[0]?.type], [null, 'value_error']);
  });

  test('what it costs is one row of the ledger, by the query and by the operator’s price', async (t) => {
    const reply = await server.post('/search', { query: ['kea', 'moss'] });
    assert.equal(reply.status, 200);
    const refused = await server.post('/search', { query: '' });
    const database = await openDatabase('sqlite', { dataFolder: server.data });
    t.after(() => database.close());
    const usage = createUsage(database.db);
    const rowOf = async (id: string | null) => (await usage.page({})).find((row) => row.requestId === id);
    const row = await poll(
      () => rowOf(reply.headers.get('x-request-id')),
      (found) => found !== undefined,
    );
    assert.deepEqual(
      [row?.operation, row?.model, row?.costUsd, row?.costParts, row?.otherUnits],
      ['createSearch', null, 0.02, { search: 0.02 }, { queries: 2 }],
    );
    assert.equal(await rowOf(refused.headers.get('x-request-id')), undefined);
  });
});

test('what is told of a page is the passage that fits, and dates are those of the page', async (t) => {
  const site = await startSite(t, { '/tram': realPages['/news'] ?? '' });
  const engine = await startUpstream(t, () => ({
    json: { results: [{ url: `${site.url}/tram`, title: 'Tram', content: 'Engine words.' }] },
  }));
  const config = `
search: { engines: [{ type: searxng, url: "${engine.url}" }], timeout_s: 120 }
outbound: { allow_hosts: ["${site.host}"] }
`;
  const reading = await startServer(t, { config });
  const reply = await reading.post('/search', { query: 'what did traders of the fish market object to?' });
  const { results } = (await reply.json()) as Answer;
  assert.equal(results.length, 1);
  assert.match(results[0]?.snippet ?? '', /Traders of the fish market had asked for another route/);
  assert.doesNotMatch(results[0]?.snippet ?? '', /812 partners|comment is by a reader|Engine words/);
  assert.deepEqual([results[0]?.date, results[0]?.last_updated], ['2024-03-05', '2024-03-07']);
  assert.equal(site.requests.length, 1);
});

suite('POST /search over a backend that fails', async () => {
  const hasty = await start({ after }, 2);

  test('the status says what happened and not a word of the backend', async () => {
    for (const [fail, status, wait] of [
      [{ json: { m: upstreamSecret }, status: 500 }, 502, null],
      [{ fault: 'html' }, 502, null],
      [{ fault: 'hang' }, 504, null],
      [{ json: { m: upstreamSecret }, status: 429, headers: { 'retry-after': '17' } }, 503, '17'],
    ] as const) {
      state.fail = fail;
      // Past the rest that the last one asked for, and past an open breaker.
      clock.advance(700_000);
      const reply = await hasty.post('/search', { query: `zzqx ${status}` });
      const text = await reply.text();
      assert.equal(reply.status, status, text);
      assert.equal(reply.headers.get('retry-after'), wait);
      assert.doesNotMatch(text, /searxng|upstream-secret|127\.0\.0\.1/i);
    }
    state.fail = null;
  });

  test('GET /readyz tells of search', async () => {
    const reply = (await (await fetch(`${hasty.url}/readyz`)).json()) as { checks: Record<string, string> };
    assert.equal(reply.checks['search'], 'ok');
  });
});

test('fifty at once, then one is refused until the bucket has refilled', async (t) => {
  const still = createManualClock();
  const limited = await startServer(t, { clock: still });
  const statuses: number[] = [];
  for (let i = 0; i < 51; i++) {
    const reply = await limited.post('/search', { query: 'zzqx' });
    statuses.push(reply.status);
    if (i === 0) assert.equal(reply.headers.get('x-ratelimit-limit'), '50');
    await reply.arrayBuffer();
  }
  assert.deepEqual([statuses.slice(0, 50).every((status) => status === 200), statuses[50]], [true, 429]);
  still.advance(20);
  assert.equal((await limited.post('/v1/search', { query: 'zzqx' })).status, 200);
});
