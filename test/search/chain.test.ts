import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { shareEncoder } from '../../src/features/models/encoder.ts';
import { createLikeness } from '../../src/features/models/likeness.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { contextBudgets } from '../../src/features/search/search.ts';
import { AskedEngines } from '../../src/features/search/asked-engines.ts';
import { noFilters, type Hit } from '../../src/features/search/engine.ts';
import type { SearchOptions } from '../../src/features/search/open-search.ts';
import { hangMs, until } from '../support/until.ts';
import { emptyCorpus, hit, memoryEngine, openChain as open, query } from '../support/upstream-search.ts';

const budget = contextBudgets.high;
const signal = () => AbortSignal.timeout(hangMs);

const urls = (found: readonly { readonly url: string }[]) => found.map(({ url }) => url);
const failing = (name: string, fault: () => Error) =>
  memoryEngine(name, () => {
    throw fault();
  });

suite('merging', () => {
  test('what two engines agree on comes first, under whatever form of its address', async () => {
    const a = memoryEngine('a', () => [
      hit('https://one.org/'),
      hit('http://www.both.org/page/?utm_source=x#top'),
      hit('https://two.org/'),
    ]);
    const b = memoryEngine('b', () => [
      hit('https://three.org/'),
      hit('https://both.org/page', { date: '2024-01-02' }),
    ]);
    const found = await open([a, b]).search.find(query('anything'), budget, signal(), 'acme');
    assert.deepEqual(urls(found), [
      'https://both.org/page',
      'https://one.org/',
      'https://three.org/',
      'https://two.org/',
    ]);
    assert.equal(found[0]?.date, '2024-01-02');
  });

  test('addresses that differ in what they show stay apart', async () => {
    const a = memoryEngine('a', () => [hit('https://one.org/?id=1'), hit('https://one.org/?id=2')]);
    assert.equal((await open([a]).search.find(query('x'), budget, signal(), 'acme')).length, 2);
  });

  test('a copy on another host is left out, whoever found it; pages of one host and short texts are not', async () => {
    const text =
      'The kea is a large parrot of the alpine regions of New Zealand, known for its curiosity. '.repeat(2);
    const a = memoryEngine('a', () => [
      hit('https://one.org/kea', { title: 'Kea', snippet: text }),
      hit('https://one.org/kea?page=2', { title: 'Kea', snippet: text }),
      hit('https://note.org/', { title: 'Kea', snippet: 'Please accept cookies.' }),
      hit('https://other.org/', { title: 'Keas', snippet: text }),
    ]);
    const b = memoryEngine('b', () => [
      hit('https://mirror.org/kea', { title: 'KEA', snippet: `**${text.replace('large', '"large"')}**` }),
      hit('https://note.com/', { title: 'Kea', snippet: 'Please accept cookies.' }),
    ]);
    const { search } = open([a, b]);
    const ask = async (filters = noFilters) =>
      new Set(urls(await search.find(query('kea', { filters }), budget, signal(), 'acme')));
    const kept = ['https://one.org/kea', 'https://one.org/kea?page=2', 'https://other.org/'];
    const notes = ['https://note.org/', 'https://note.com/'];
    assert.deepEqual(await ask(), new Set([...kept, ...notes]));
    // What a filter leaves out hides no copy.
    const domains = { ...noFilters, allowDomains: ['mirror.org'] };
    assert.deepEqual(await ask(domains), new Set(['https://mirror.org/kea']));
  });

  test('only engines of the kind are asked, and the corpus always', async () => {
    const web = memoryEngine('web', () => [hit('https://web.org/')]);
    const papers = memoryEngine('papers', () => [hit('https://papers.org/')], { kinds: ['academic'] });
    const corpus = emptyCorpus();
    const { search } = open([web, papers], { corpus });
    assert.deepEqual(urls(await search.find(query('x', { kind: 'academic' }), budget, signal(), 'acme')), [
      'https://papers.org/',
    ]);
    assert.deepEqual([web.asked.length, papers.asked.length, corpus.asked.length], [0, 1, 1]);
    assert.deepEqual([search.has('web'), search.has('academic'), search.has('sec')], [true, true, false]);
  });

  test('a kind without an engine is answered from the corpus alone, whole', async () => {
    const corpus = memoryEngine('corpus', () => [hit('https://docs.local/', { snippet: 'Something else.' })]);
    const { search } = open([memoryEngine('web', () => [])], { corpus });
    const found = await search.find(query('annual reports', { kind: 'sec' }), budget, signal(), 'acme');
    assert.deepEqual(
      found.map(({ url, text }) => [url, text]),
      [['https://docs.local/', 'Something else.']],
    );
  });

  test('beside the web a document of the corpus has to be about the query', async () => {
    const web = memoryEngine('web', () => [
      hit('https://web.org/', { snippet: 'Revoking tokens elsewhere.' }),
    ]);
    const corpus = memoryEngine('corpus', () => [
      hit('https://docs.local/keys', { title: 'Keys', snippet: 'A token is revoked with one call.' }),
      hit('https://docs.local/install', { title: 'Install', snippet: 'Download the program.' }),
    ]);
    const found = await open([web], { corpus }).search.find(
      query('How do I revoke a token?'),
      budget,
      signal(),
      'acme',
    );
    assert.deepEqual(urls(found).toSorted(), ['https://docs.local/keys', 'https://web.org/']);
  });

  test('the embedding engine moves what is like the query forward, and its failure changes nothing', async () => {
    const titles = ['far1', 'far2', 'far3', 'far4', 'near'];
    const list = () => titles.map((title) => hit(`https://${title}.org/`, { title }));
    const engines = [memoryEngine('a', list), memoryEngine('b', list)];
    const embed = (texts: readonly string[]) =>
      Promise.resolve(texts.map((text) => Float32Array.from(text.startsWith('far') ? [0, 1] : [1, 0])));
    const titlesOf = async (more: Partial<SearchOptions>) =>
      (await open(engines, more).search.find(query('near'), budget, signal(), 'acme')).map(
        ({ title }) => title,
      );
    assert.deepEqual(await titlesOf({ embed }), ['far1', 'far2', 'far3', 'near', 'far4']);
    assert.deepEqual(await titlesOf({ embed: () => Promise.reject(new Fault('bad_gateway')) }), titles);
  });

  test('the encoder of the process moves what means the like forward, once its weights are read', async (t) => {
    const share = shareEncoder();
    const encoder = await share();
    t.after(() => encoder.close());
    const likeness = createLikeness(share, hangMs);
    t.after(() => likeness.close());
    const titles = ['Bread', 'Glaciers', 'Chess', 'Opera', 'Cards are sent within five days'];
    const list = () => titles.map((title, at) => hit(`https://h${at}.org/`, { title, snippet: '' }));
    const engines = [memoryEngine('a', list), memoryEngine('b', list)];
    const { search } = open(engines, { likeness });
    const titlesOf = async () =>
      (await search.find(query('When does a new bank card arrive?'), budget, signal(), 'acme')).map(
        ({ title }) => title,
      );
    assert.deepEqual(await titlesOf(), titles);
    await encoder.tokenize([{ text: 'a', pair: null }], signal());
    assert.equal((await titlesOf()).indexOf('Cards are sent within five days'), 3);
  });
});

suite('engines that fail', () => {
  const good = () => memoryEngine('good', () => [hit('https://good.org/')]);
  const down = () => new Fault('service_unavailable', undefined, { retryAfterMs: 7_000 });

  test('one that fails, hangs or breaks is passed by', async () => {
    const told: string[] = [];
    const hanging = memoryEngine('hanging', () => new Promise<readonly Hit[]>(() => {}));
    const { search } = open(
      [failing('down', down), hanging, failing('broken', () => new TypeError('defect')), good()],
      {
        timeoutMs: 200,
        onFailure: (engine, { kind }) => told.push(`${engine} ${kind}`),
      },
    );
    assert.deepEqual(urls(await search.find(query('x'), budget, signal(), 'acme')), ['https://good.org/']);
    assert.deepEqual(told.toSorted(), ['broken unusable', 'down unavailable', 'hanging timeout']);
  });

  test('what an answer does without is heard of: the order by meaning, a page', async () => {
    const heard: [string, unknown][] = [];
    const { search } = open([good(), memoryEngine('other', () => [hit('https://other.org/')])], {
      embed: () => Promise.reject(new Fault('bad_gateway')),
      onPartFailure: (what, error) => void heard.push([what, error]),
    });
    await search.find(query('x'), budget, signal(), 'acme');
    assert.deepEqual(heard.map(([what]) => what).toSorted(), ['order by meaning', 'page', 'page']);
    assert.ok(heard.every(([, error]) => error instanceof Error));
  });

  test('when all fail the fault that gives most hope is told, without a word of them', async () => {
    const cases = [
      [['service_unavailable', 'bad_gateway'], 'service_unavailable'],
      [['bad_gateway', 'gateway_timeout'], 'gateway_timeout'],
      [['bad_gateway'], 'bad_gateway'],
    ] as const;
    for (const [codes, code] of cases) {
      const engines = codes.map((one) => failing('e', () => new Fault(one, 'secret words')));
      await assert.rejects(open(engines).search.find(query('x'), budget, signal(), 'acme'), (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, code);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
    await assert.rejects(open([failing('e', down)]).search.find(query('x'), budget, signal(), 'acme'), {
      retryAfterMs: 7_000,
    });
  });

  test('what came of each engine is told, over all queries of a request, kept answers included', async () => {
    const { search } = open([good(), failing('down', down), failing('broken', () => new Error('oops'))], {
      cacheMs: 60_000,
    });
    const asked = new AskedEngines();
    assert.deepEqual(asked.toHeaders(), {});
    for (const words of ['x', 'x']) await search.find(query(words), budget, signal(), 'acme', asked.note);
    assert.deepEqual(asked.toHeaders(), {
      'x-nestor-search-engines':
        'good;hits=2, down;hits=0;failed=unavailable, broken;hits=0;failed=unusable, corpus;hits=0',
    });
  });

  test('all failed, but the corpus knows: it answers', async () => {
    const corpus = memoryEngine('corpus', () => [
      hit('https://docs.local/', { title: 'Kea', snippet: 'The kea is a parrot.' }),
    ]);
    const { search } = open([failing('down', down)], { corpus });
    assert.deepEqual(urls(await search.find(query('kea parrot'), budget, signal(), 'acme')), [
      'https://docs.local/',
    ]);
    await assert.rejects(search.find(query('quantum computers'), budget, signal(), 'acme'), {
      code: 'service_unavailable',
    });
  });

  test('nothing found is an empty list and no failure', async () => {
    assert.deepEqual(
      await open([memoryEngine('a', () => [])]).search.find(query('x'), budget, signal(), 'acme'),
      [],
    );
  });

  test('an engine that asked for a rest gets one', async () => {
    const state = { down: true };
    const engine = memoryEngine('busy', () => {
      if (state.down) throw down();
      return [hit('https://busy.org/')];
    });
    const { search, clock } = open([engine, good()], { cacheMs: 0 });
    await search.find(query('x'), budget, signal(), 'acme');
    state.down = false;
    await search.find(query('x'), budget, signal(), 'acme');
    assert.equal(engine.asked.length, 1);
    clock.advance(7_001);
    assert.equal((await search.find(query('x'), budget, signal(), 'acme')).length, 2);
  });

  test('queries that an engine answers badly take it from nobody', async () => {
    const engine = memoryEngine('flaky', ({ text }) => {
      if (text.startsWith('!!')) throw new Fault('bad_gateway');
      return [hit('https://flaky.org/')];
    });
    const { search } = open([engine], { cacheMs: 0 });
    for (let i = 0; i < 30; i++) {
      await assert.rejects(search.find(query('!!g kea'), budget, signal(), 'acme'), { code: 'bad_gateway' });
      if (i % 3 === 2) assert.equal((await search.find(query('kea'), budget, signal(), 'acme')).length, 1);
    }
    assert.equal(search.health(), 'ok');
  });

  test('one that is away by our own probe rests, tells the true wait and is tried by a few when it is the only one', async (t) => {
    let isAway = true;
    const engine = memoryEngine('only', () => {
      if (isAway) throw new Fault('gateway_timeout', undefined, { away: true });
      return [hit('https://only.org/')];
    });
    const { search, clock } = open([engine], { cacheMs: 0 });
    t.after(() => search.close());
    const ask = () => search.find(query('x'), budget, signal(), 'acme');
    for (let i = 0; i < 3; i++) await assert.rejects(ask(), { code: 'gateway_timeout' });
    await until(() => engine.asked.some(({ text }) => text === 'test'));
    clock.advance(1_500);
    const results = await Promise.allSettled(Array.from({ length: 20 }, ask));
    const faults = results.map((result) => (result.status === 'rejected' ? (result.reason as Fault) : null));
    const told = faults.filter((fault) => fault?.code === 'service_unavailable');
    assert.equal(faults.length - told.length, 4, 'as many tried it');
    assert.deepEqual([...new Set(told.map((fault) => fault?.retryAfterMs))], [3_500]);
    isAway = false;
    assert.equal((await ask()).length, 1, 'an answer to one who tries brings it back');
    const all = await Promise.all(Array.from({ length: 20 }, ask));
    assert.ok(all.every((found) => found.length === 1));
  });

  test('health is down only when nothing answers, the corpus included', async (t) => {
    const engine = failing('only', () => new Fault('service_unavailable', undefined, { away: true }));
    let isCorpusBroken = true;
    const corpus = memoryEngine('corpus', () => {
      if (isCorpusBroken) throw new Fault('service_unavailable');
      return [];
    });
    const { search } = open([engine], { cacheMs: 0, corpus });
    t.after(() => search.close());
    for (let i = 0; i < 3; i++) await assert.rejects(search.find(query('x'), budget, signal(), 'acme'));
    await until(() => search.health() === 'down');
    isCorpusBroken = false;
    await assert.rejects(search.find(query('x'), budget, signal(), 'acme'));
    assert.equal(search.health(), 'ok');
  });

  test('an abort rejects with its reason and opens no breaker', async () => {
    const engine = memoryEngine('slow', () => new Promise<readonly Hit[]>(() => {}));
    const { search } = open([engine]);
    for (let i = 0; i < 4; i++) {
      const leaving = new AbortController();
      const asked = search.find(query(`x${i}`), budget, leaving.signal, 'acme');
      const reason = new Error('left');
      leaving.abort(reason);
      await assert.rejects(asked, reason);
    }
    assert.equal(engine.asked.length, 4);
    assert.equal(search.health(), 'ok');
  });
});

suite('answers that are kept', () => {
  test('the same query is answered from memory until its time is over; failures are not kept', async () => {
    const engine = memoryEngine('a', () => [hit('https://a.org/')]);
    const { search, clock } = open([engine]);
    for (let i = 0; i < 3; i++) await search.find(query('x'), budget, signal(), 'acme');
    assert.equal(engine.asked.length, 1);
    await search.find(query('x', { kind: 'web', safe: false }), budget, signal(), 'acme');
    assert.equal(engine.asked.length, 2, 'another query is another answer');
    clock.advance(600_001);
    await search.find(query('x'), budget, signal(), 'acme');
    assert.equal(engine.asked.length, 3);
  });

  test('the corpus is always asked: what was just added to it is found', async () => {
    const documents = [hit('https://docs.local/a')];
    const { search } = open([], { corpus: memoryEngine('corpus', () => [...documents]) });
    assert.equal((await search.find(query('x'), budget, signal(), 'acme')).length, 1);
    documents.push(hit('https://docs.local/b'));
    assert.equal((await search.find(query('x'), budget, signal(), 'acme')).length, 2);
  });

  test('the younger the hits asked for, the sooner they are asked for again', async () => {
    const engine = memoryEngine('a', () => [hit('https://a.org/', { date: '2026-11-20' })]);
    const { search, clock } = open([engine]);
    const recent = query('x', { filters: { ...noFilters, maxAgeMs: 3_600_000 } });
    await search.find(recent, budget, signal(), 'acme');
    clock.advance(59_000);
    await search.find(recent, budget, signal(), 'acme');
    assert.equal(engine.asked.length, 1);
    clock.advance(2_000);
    await search.find(recent, budget, signal(), 'acme');
    assert.equal(engine.asked.length, 2);
  });

  test('no more is kept than there is room for', async () => {
    const engine = memoryEngine('a', () => [hit('https://a.org/')]);
    const { search } = open([engine]);
    for (let i = 0; i < 501; i++) await search.find(query(`q${i}`), budget, signal(), 'acme');
    await search.find(query('q500'), budget, signal(), 'acme');
    assert.equal(engine.asked.length, 501);
    await search.find(query('q0'), budget, signal(), 'acme');
    assert.equal(engine.asked.length, 502, 'the oldest was dropped');
  });
});
