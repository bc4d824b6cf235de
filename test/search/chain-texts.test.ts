import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { Fault } from '../../src/kernel/faults.ts';
import { countTokens } from '../../src/kernel/kit/words.ts';
import { contextBudgets } from '../../src/features/search/search.ts';
import { noFilters } from '../../src/features/search/engine.ts';
import type { PageReader } from '../../src/features/search/page.ts';
import { hit, memoryEngine, openChain as open, pagesOf, query } from '../support/upstream-search.ts';
import { hangMs } from '../support/until.ts';

const budget = contextBudgets.high;
const signal = () => AbortSignal.timeout(hangMs);
const urls = (found: readonly { readonly url: string }[]) => found.map(({ url }) => url);

suite('filters of our own', () => {
  const engine = memoryEngine('a', () => [
    hit('https://en.example.com/a', { language: 'en', date: '2024-05-01' }),
    hit('https://example.com/b', { language: 'de', date: '2023-05-01', lastUpdated: '2024-06-01' }),
    hit('https://notexample.com/c', { date: '2024-05-31' }),
    hit('https://other.org/d'),
  ]);
  const found = async (filters: Partial<typeof noFilters>, pages?: PageReader) =>
    urls(
      await open([engine], pages === undefined ? {} : { pages }).search.find(
        query('x', { filters: { ...noFilters, ...filters } }),
        budget,
        signal(),
        'acme',
      ),
    )
      .map((url) => url.at(-1))
      .join('');

  test('domains, their sub-domains and nothing that only looks like them', async () => {
    assert.equal(await found({ allowDomains: ['example.com'] }), 'ab');
    assert.equal(await found({ denyDomains: ['example.com'] }), 'cd');
    assert.equal(await found({ allowDomains: ['example.com'], denyDomains: ['en.example.com'] }), 'b');
  });

  test('an unknown language passes, an unknown date does not', async () => {
    assert.equal(await found({ languages: ['en'] }), 'acd');
    assert.equal(await found({ publishedAfter: '2024-05-01' }), 'ac');
    assert.equal(await found({ publishedBefore: '2024-05-01' }), 'ab');
    assert.equal(await found({ publishedAfter: '2024-05-01', publishedBefore: '2024-05-01' }), 'a');
    assert.equal(await found({ updatedAfter: '2024-05-31' }), 'bc');
    assert.equal(await found({ maxAgeMs: 86_400_000 }), '');
  });

  test('a date that the page tells counts, and none is made up', async () => {
    const { reader } = pagesOf({ 'https://other.org/d': { date: '2024-07-01', text: 'x' } });
    assert.equal(await found({ publishedAfter: '2024-06-01' }, reader), 'd');
  });
});

suite('texts', () => {
  const page = [
    '# Birds',
    'The weather was fine. Nothing of interest happened.',
    '## Kea',
    'The kea is a parrot of the mountains. It likes rubber.',
    'Trains run on rails and carry coal.',
    'Kea numbers are falling. There are few parrots like it.',
  ].join('\n\n');

  test('passages of the page that fit, in its order; others are left out', async () => {
    const engine = memoryEngine('a', () => [hit('https://a.org/kea', { snippet: 'Snippet of the engine.' })]);
    const { reader } = pagesOf({
      'https://a.org/kea': { title: 'All about keas', text: page, date: '2020-02-02', language: 'en' },
    });
    const [found] = await open([engine], { pages: reader }).search.find(
      query('kea parrot'),
      budget,
      signal(),
      'acme',
    );
    assert.equal(
      found?.text,
      '## Kea\nThe kea is a parrot of the mountains. It likes rubber.\n\nKea numbers are falling. There are few parrots like it.',
    );
    assert.deepEqual([found.date, found.language], ['2020-02-02', 'en']);
  });

  test('a page that cannot be read, or is about something else, leaves the engine’s snippet', async () => {
    const engine = memoryEngine('a', () => [
      hit('https://a.org/gone', { snippet: 'The kea, told by the engine.' }),
      hit('https://a.org/consent', { snippet: 'Another kea.' }),
    ]);
    const { reader } = pagesOf({
      'https://a.org/consent': { text: 'We value your privacy. Accept all cookies.' },
    });
    const found = await open([engine], { pages: reader }).search.find(query('kea'), budget, signal(), 'acme');
    assert.deepEqual(
      found.map(({ text }) => text),
      ['The kea, told by the engine.', 'Another kea.'],
    );
  });

  test('budgets hold for every page and for all together, and the last word is whole', async () => {
    const long = Array.from({ length: 400 }, (_, i) => `Sentence ${i} says that the kea eats things.`).join(
      ' ',
    );
    const addresses = Array.from({ length: 10 }, (_, i) => `https://a.org/${i}`);
    const engine = memoryEngine('a', () => addresses.map((url) => hit(url)));
    const { reader } = pagesOf(
      Object.fromEntries(addresses.map((url, i) => [url, { text: i === 3 ? 'One short kea.' : long }])),
    );
    for (const [tokensMax, tokensPerPageMax] of [
      [10_000, 4_096],
      [500, 4_096],
      [10_000, 30],
      [7, 4_096],
      [1, 1],
    ] as const) {
      const { search } = open([engine], { pages: reader });
      const found = await search.find(query('kea'), { tokensMax, tokensPerPageMax }, signal(), 'acme');
      const counts = found.map(({ text }) => countTokens(text));
      const label = `${tokensMax} ${tokensPerPageMax}: ${counts.join(' ')}`;
      assert.equal(found.length, 10);
      assert.ok(Math.max(...counts) <= tokensPerPageMax, label);
      assert.ok(counts.reduce((sum, count) => sum + count, 0) <= tokensMax, label);
      assert.ok(counts[0] !== undefined && counts[0] > 0, label);
      if (tokensMax === 500) {
        assert.ok(
          counts.every((count) => count > 0),
          'nobody goes empty-handed',
        );
        for (const { text } of found) assert.match(text, /[.]$/, 'cut at a sentence');
      }
    }
  });

  test('pages are read a few at a time, and only as long as there is time', async () => {
    const state = { busy: 0, busiest: 0 };
    const { reader } = pagesOf({});
    const slow: PageReader = {
      ...reader,
      read: (_url, within) =>
        new Promise((_resolve, reject) => {
          state.busiest = Math.max(state.busiest, ++state.busy);
          within.addEventListener('abort', () => reject(within.reason as Error));
        }),
    };
    const engine = memoryEngine('a', () =>
      Array.from({ length: 20 }, (_, i) => hit(`https://a.org/${i}`, { snippet: 'kea' })),
    );
    const { search } = open([engine], { pages: slow, timeoutMs: 150 });
    const found = await search.find(query('kea', { hitsMax: 20 }), budget, signal(), 'acme');
    assert.deepEqual([found.length, state.busiest], [20, 8]);
    assert.ok(found.every(({ text }) => text === 'kea'));
  });

  test('entries of people are not read again', async () => {
    const engine = memoryEngine('a', () => [hit('https://orcid.org/1', { snippet: 'Ada Lovelace.' })], {
      kinds: ['people'],
    });
    const { reader, read } = pagesOf({});
    const found = await open([engine], { pages: reader }).search.find(
      query('Ada', { kind: 'people' }),
      budget,
      signal(),
      'acme',
    );
    assert.deepEqual([found[0]?.text, read.length], ['Ada Lovelace.', 0]);
  });
});

suite('pictures and films', () => {
  const image = (name: string) => ({
    imageUrl: `https://i.org/${name}.png`,
    originUrl: `https://${name}.org/`,
    title: name,
    width: 1,
    height: 1,
  });

  test('engines that know them are merged; domains of the pages are filtered', async () => {
    const a = memoryEngine('a', () => [], { images: () => Promise.resolve([image('one'), image('two')]) });
    const b = memoryEngine('b', () => [], { images: () => Promise.resolve([image('two'), image('three')]) });
    const { search } = open([a, b, memoryEngine('c', () => [])]);
    const found = await search.images(query('kea'), 10, signal());
    assert.deepEqual(
      found.map(({ title }) => title),
      ['two', 'one', 'three'],
    );
    const denied = { ...noFilters, denyDomains: ['two.org'] };
    assert.deepEqual(
      (await search.images(query('kea', { filters: denied }), 1, signal())).map(({ title }) => title),
      ['one'],
    );
    assert.deepEqual(await search.videos(query('kea'), 10, signal()), [], 'no engine knows films');
  });

  test('all that know them failed: so does the search', async () => {
    const a = memoryEngine('a', () => [], { videos: () => Promise.reject(new Fault('gateway_timeout')) });
    await assert.rejects(open([a]).search.videos(query('kea'), 10, signal()), { code: 'gateway_timeout' });
  });
});
