import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';

import { query } from '../support/upstream-search.ts';
import { austria, engineKey, filters, startEngineBench } from '../support/upstream-search-bench.ts';
import * as replies from '../support/upstream-search-replies.ts';
import { hangMs } from '../support/until.ts';

const dayMs = 86_400_000;
const bench = await startEngineBench({ after });
const { ask, open } = bench;

suite('engines of the web', () => {
  test('searxng: hits without markup, with the dates that it has', async () => {
    const { hits, sent, url, parameters } = await ask('searxng', replies.searxngReply);
    assert.equal(url.pathname, '/search');
    assert.deepEqual(parameters, {
      q: 'kea parrot',
      format: 'json',
      categories: 'general',
      language: 'all',
      safesearch: '1',
    });
    assert.equal(sent.headers['authorization'], `Bearer ${engineKey}`);
    assert.equal(sent.headers['user-agent'], 'Nestor tests');
    assert.equal(hits.length, 2, 'an address that is none is left out');
    assert.equal(
      hits[0]?.snippet,
      'The kea is a species of large parrot in the family Strigopidae & endemic to New Zealand.',
    );
    assert.equal(hits[0].date, null);
    assert.equal(hits[1]?.date, '2024-05-17');
  });

  test('searxng: language with country, age, safety and domains', async () => {
    const asked = query('kea', {
      filters: filters({
        languages: ['de'],
        maxAgeMs: 7 * dayMs,
        allowDomains: ['a.org', 'b.org'],
        denyDomains: ['c.org'],
      }),
      place: austria,
      safe: false,
    });
    const { parameters } = await ask('searxng', replies.searxngReply, asked);
    assert.equal(parameters['language'], 'de-AT');
    assert.equal(parameters['time_range'], 'week');
    assert.equal(parameters['safesearch'], '0');
    assert.equal(parameters['q'], 'kea site:a.org OR site:b.org -site:c.org');
  });

  test('searxng: words that it would take for orders are searched for', async () => {
    const cases = {
      '!!g kea parrot': 'g kea parrot',
      '!images kea': 'images kea',
      'kea :de !!wiki <3 ?x': 'kea de wiki 3 x',
      'kea\u001c!!g': 'kea g',
      '! !! kea !': 'kea',
      '!:<?!!g kea': 'g kea',
      'is it a parrot? C++: a!b 1<2': 'is it a parrot? C++: a!b 1<2',
    };
    for (const [text, sent] of Object.entries(cases)) {
      const { parameters } = await ask('searxng', replies.searxngReply, query(text));
      assert.equal(parameters['q']?.replaceAll(/[\s\p{Cc}]+/gu, ' '), sent, text);
    }
    const signal = AbortSignal.timeout(hangMs);
    assert.deepEqual(await open('searxng').search(query(' !! '), signal, ''), [], 'nothing to search for');
  });

  test('searxng: pictures with their size, films with their length', async () => {
    bench.answer(({ path }) => ({
      json: path.includes('videos') ? replies.searxngVideos : replies.searxngImages,
    }));
    const signal = AbortSignal.timeout(hangMs);
    assert.deepEqual(await open('searxng').images?.(query('kea'), signal), [
      {
        imageUrl: 'https://upload.wikimedia.org/kea.jpg',
        originUrl: 'https://commons.wikimedia.org/wiki/File:Kea.jpg',
        title: 'Kea in flight',
        width: 1280,
        height: 720,
      },
    ]);
    const [video] = (await open('searxng').videos?.(query('kea'), signal)) ?? [];
    assert.equal(video?.duration, 185);
    assert.equal(video.thumbnailUrl, 'https://i.ytimg.com/vi/abc/hqdefault.jpg');
  });

  test('brave: key, count, country, language; a relative age is no date', async () => {
    const asked = query('kea', { filters: filters({ languages: ['ja'] }), place: austria, hitsMax: 50 });
    const { hits, sent, url, parameters } = await ask('brave', replies.braveReply, asked);
    assert.equal(url.pathname, '/res/v1/web/search');
    assert.equal(sent.headers['x-subscription-token'], engineKey);
    assert.deepEqual(
      [parameters['count'], parameters['country'], parameters['search_lang']],
      ['20', 'AT', 'jp'],
    );
    assert.deepEqual(
      hits.map(({ date, language }) => [date, language]),
      [
        ['2023-11-03', 'en'],
        [null, 'en'],
      ],
    );
    assert.match(hits[0]?.snippet ?? '', /parrot species of New Zealand's alps\. It is known/);
    assert.deepEqual(
      (await ask('brave', { type: 'search', query: {} })).hits,
      [],
      'nothing found has no list',
    );
  });

  test('brave: ages by word, other ranges by days; what it does not know is not sent', async () => {
    const week = await ask(
      'brave',
      replies.braveReply,
      query('kea', { filters: filters({ maxAgeMs: 7 * dayMs }) }),
    );
    assert.equal(week.parameters['freshness'], 'pw');
    const range = filters({ publishedAfter: '2024-01-31', languages: ['la', 'en'] });
    const since = await ask(
      'brave',
      replies.braveReply,
      query('x '.repeat(400), { filters: range, place: { ...austria, country: 'VA' } }),
    );
    assert.equal(since.parameters['freshness'], '2024-01-31to2026-11-20');
    assert.deepEqual([since.parameters['country'], since.parameters['search_lang']], [undefined, undefined]);
    assert.ok((since.parameters['q'] ?? '').length <= 400);
  });

  test('brave: pictures and films', async () => {
    bench.answer(({ path }) => ({
      json: path.includes('/videos/') ? replies.braveVideos : replies.braveImages,
    }));
    const signal = AbortSignal.timeout(hangMs);
    const [image] = (await open('brave').images?.(query('kea'), signal)) ?? [];
    assert.deepEqual(
      [image?.width, image?.height, image?.originUrl],
      [800, 600, 'https://birds.example.org/kea'],
    );
    const [video] = (await open('brave').videos?.(query('kea'), signal)) ?? [];
    assert.deepEqual([video?.duration, video?.thumbnailUrl], [3_723, 'https://i.vimeocdn.com/1.jpg']);
  });

  test('tavily: domains and dates as lists of its own', async () => {
    const range = filters({
      publishedAfter: '2024-01-01',
      publishedBefore: '2024-12-31',
      allowDomains: ['example.com'],
      denyDomains: ['bad.com'],
    });
    const { hits, sent, body } = await ask(
      'tavily',
      replies.tavilyReply,
      query('kea', { filters: range, place: austria, hitsMax: 40 }),
    );
    assert.equal(sent.method, 'POST');
    assert.equal(sent.headers['authorization'], `Bearer ${engineKey}`);
    assert.deepEqual(body, {
      query: 'kea',
      search_depth: 'basic',
      max_results: 20,
      start_date: '2024-01-01',
      end_date: '2024-12-31',
      include_domains: ['example.com'],
      exclude_domains: ['bad.com'],
      country: 'austria',
    });
    assert.deepEqual(
      hits.map(({ date }) => date),
      ['2024-09-12', null],
    );
  });

  test('exa: one list of domains, instants, and the country of the reader', async () => {
    const range = filters({ maxAgeMs: dayMs, denyDomains: ['bad.com'] });
    const { hits, sent, body } = await ask(
      'exa',
      replies.exaReply,
      query('kea', { filters: range, place: austria }),
    );
    assert.equal(sent.headers['x-api-key'], engineKey);
    assert.equal(body['startPublishedDate'], '2026-11-19T00:00:00.000Z');
    assert.deepEqual(body['excludeDomains'], ['bad.com']);
    assert.equal(body['userLocation'], 'AT');
    assert.deepEqual([hits[0]?.date, hits[0]?.title], ['2021-03-05', 'Kea Conservation Trust']);
  });

  test('serper: ranges as Google writes them', async () => {
    const asked = query('kea', {
      filters: filters({ publishedAfter: '2024-01-31', languages: ['de'] }),
      place: austria,
      hitsMax: 15,
    });
    const { hits, sent, body } = await ask('serper', replies.serperReply, asked);
    assert.equal(sent.headers['x-api-key'], engineKey);
    assert.deepEqual(body, { q: 'kea', num: 20, gl: 'at', hl: 'de', tbs: 'cdr:1,cd_min:1/31/2024' });
    assert.deepEqual(
      hits.map(({ date }) => date),
      ['2022-01-03', null],
    );
    const hour = await ask(
      'serper',
      { organic: [] },
      query('kea', { filters: filters({ maxAgeMs: dayMs / 24 }) }),
    );
    assert.equal(hour.body['tbs'], 'qdr:h');
  });

  test('serper: pictures and films', async () => {
    bench.answer(({ path }) => ({ json: path === '/videos' ? replies.serperVideos : replies.serperImages }));
    const signal = AbortSignal.timeout(hangMs);
    const [image] = (await open('serper').images?.(query('kea'), signal)) ?? [];
    assert.deepEqual([image?.width, image?.imageUrl], [1024, 'https://images.example.com/kea.jpg']);
    const [video] = (await open('serper').videos?.(query('kea'), signal)) ?? [];
    assert.equal(video?.duration, 602);
  });
});
