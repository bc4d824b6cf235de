import assert from 'node:assert/strict';

import { createCandidateFinder } from '../../src/features/search/corpus/find.ts';
import type { CandidateOptions, DateRange } from '../../src/features/search/corpus/candidates.ts';
import { CorpusAttempts } from '../../src/features/index/store/attempts.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { CorpusVectors } from '../../src/features/search/corpus/vectors.ts';
import { Corpus } from '../../src/features/search/corpus/corpus.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { anyDate, documentOf, everything, passageOf, start } from './corpus-documents.ts';

export type It = (name: string, body: (database: Database) => Promise<void>) => void;

export async function openCorpus({ db }: Database) {
  const corpus = new Corpus(db);
  const sources = new CorpusSources(db);
  await sources.ensure({
    id: 's1',
    kind: 'web',
    location: 'http://a/',
    options: '{}',
    everyMs: null,
    addedAtMs: start,
  });
  const finder = createCandidateFinder(db, () => Date.now());
  const urlsOf = async (ids: readonly number[]) =>
    (await corpus.readDocuments(ids)).map(({ url }) => url).toSorted();
  /** Addresses of what has a passage or a title for the query. */
  const find = async (text: string, options: Partial<CandidateOptions> = {}) => {
    const { passages, titles } = await finder.find(text, { ...everything, ...options });
    const ids = [
      ...passages.map(({ id }) => Math.floor(id / 1_024)),
      ...titles.map(({ documentId }) => documentId),
    ];
    return urlsOf([...new Set(ids)]);
  };
  return { corpus, sources, finder, find };
}

/** What every store guarantees of the corpus. */
export function corpusTests(it: It): void {
  documentTests(it);
  queryTests(it);
  filterTests(it);
  sourceTests(it);
}

function documentTests(it: It): void {
  it('a document is found by its words, replaced with them, and gone with them', async (database) => {
    const { corpus, find } = await openCorpus(database);
    await corpus.put([
      documentOf('http://a/1', 'a lighthouse on the shore'),
      documentOf('http://a/2', 'the harbour'),
    ]);
    assert.deepEqual(await find('lighthouse'), ['http://a/1']);
    await corpus.put([documentOf('http://a/1', 'a windmill on the hill')]);
    assert.deepEqual([await find('lighthouse'), await find('windmill')], [[], ['http://a/1']]);
    assert.equal(await corpus.count('s1'), 2);
    await corpus.remove('s1', ['http://a/1', 'http://a/none']);
    assert.deepEqual([await find('windmill'), await find('harbour')], [[], ['http://a/2']]);
  });

  it('passages come back as they were written, with their place and vector', async (database) => {
    const { corpus, finder } = await openCorpus(database);
    const vector = Uint8Array.from([0, 127, 128, 255]);
    const text = 'second "quoted" \u{1F600} line\nand\ttab';
    const passages = [passageOf('first', 'One'), passageOf(text, "It's > Two", 77, vector)];
    await corpus.put([documentOf('http://a/1', 'x', { passages })]);
    const { passages: found } = await finder.find('quoted', everything);
    assert.deepEqual(
      found.map((one) => [one.id % 1_024, [...(one.vector ?? [])], one.embeddedBy]),
      [[1, [...vector], 'words']],
    );
    const [row] = await corpus.readPassages(found.map(({ id }) => id));
    assert.deepEqual([row?.heading, row?.text, row?.startAt], ["It's > Two", text, 77]);
  });

  it('documents are numbered as they come, whatever signs their titles and texts have', async (database) => {
    const { corpus } = await openCorpus(database);
    const titles = ['a\0b', 'a\u{1F600}', '\ud800', String.raw`\u0000"'`, ''];
    const documents = titles.map((title, n) =>
      documentOf(`http://a/${n}`, `one ${n}`, { title, passages: [passageOf(title, title)] }),
    );
    await corpus.put(documents);
    const heads = await corpus.heads('s1', documents.map(({ url }) => url)); // prettier-ignore
    const ids = documents.map(({ url }) => heads.get(url)?.id ?? 0);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    const rows = new Map((await corpus.readDocuments(ids)).map(({ id, title }) => [id, title]));
    assert.deepEqual(
      ids.map((id) => rows.get(id)),
      ['a\u{FFFD}b', 'a\u{1F600}', '\u{FFFD}', String.raw`\u0000"'`, ''],
    );
  });

  it('vectors of an engine that was renamed are its own under the name of today', async (database) => {
    const { corpus, finder } = await openCorpus(database);
    await corpus.put([
      documentOf('http://a/1', 'an albatross', { embeddedBy: 'baseline' }),
      documentOf('http://a/2', 'an albatross', { embeddedBy: null }),
    ]);
    const { passages } = await finder.find('albatross', everything);
    const heads = await corpus.heads('s1', ['http://a/1', 'http://a/2']);
    assert.deepEqual(new Set(passages.map(({ embeddedBy }) => embeddedBy)), new Set(['words', null]));
    assert.deepEqual(
      ['http://a/1', 'http://a/2'].map((url) => heads.get(url)?.embeddedBy),
      ['words', null],
    );
  });

  it('a document gets other vectors as a whole, and no more where its text changed', async (database) => {
    const { corpus, finder } = await openCorpus(database);
    const vectors = new CorpusVectors(database.db);
    const url = 'http://a/1';
    const passages = Array.from({ length: 70 }, (_, n) => passageOf(`albatross ${n}`));
    await corpus.put([documentOf(url, 'old', { passages, embeddedBy: 'baseline' })]);
    assert.deepEqual(await vectors.stale('words', 0, 10), []);
    const [document] = await vectors.stale('other', 0, 10);
    assert.ok(document);
    const texts = await vectors.passages(document.id);
    assert.deepEqual(
      texts.map(({ text }) => text),
      passages.map(({ text }) => text),
    );
    const made = texts.map(({ id }, n) => ({ id, vector: Uint8Array.of(n, 255) }));
    await vectors.put({ ...document, textHash: 'another' }, 'other', made);
    assert.equal(await vectors.countStale('other'), 1);
    await vectors.put(document, 'other', made);
    assert.equal(await vectors.countStale('other'), 0);
    const found = await finder.find('albatross', everything);
    assert.ok(found.passages.length > 0);
    for (const { id, vector, embeddedBy } of found.passages)
      assert.deepEqual([[...(vector ?? [])], embeddedBy], [[id % 1_024, 255], 'other']);
  });

  it('how documents begin is read with the engine of its vector, and how many have vectors of one', async (database) => {
    const { corpus } = await openCorpus(database);
    const passages = [1, 2].map((n) => passageOf(`${n}`, '', n, Uint8Array.of(n, 255)));
    await corpus.put([
      documentOf('http://a/1', 'one', { passages, embeddedBy: 'baseline' }),
      documentOf('http://a/2', 'two', { embeddedBy: null }),
    ]);
    const ids = [...(await corpus.heads('s1', ['http://a/1', 'http://a/2'])).values()].map(({ id }) => id);
    const beginnings = (await corpus.readBeginnings(ids)).toSorted((a, b) => a.documentId - b.documentId);
    assert.deepEqual(
      beginnings.map(({ vector, embeddedBy }) => [vector && [...vector], embeddedBy]),
      [[[1, 255], 'words'], [null, null]], // prettier-ignore
    );
    const counts = ['words', 'other'].map((name) => new CorpusVectors(database.db).countBySource(name));
    assert.deepEqual((await Promise.all(counts)).map(([...all]) => all), [[['s1', 1]], []]); // prettier-ignore
  });

  it('what was not seen since an instant is removed, in pieces, of its source only', async (database) => {
    const { corpus, sources, find } = await openCorpus(database);
    await sources.ensure({
      id: 's2',
      kind: 'web',
      location: 'http://b/',
      options: '{}',
      everyMs: null,
      addedAtMs: start,
    });
    await corpus.put([
      ...['1', '2', '3'].map((name) => documentOf(`http://a/${name}`, 'gull')),
      documentOf('http://b/1', 'gull', { sourceId: 's2' }),
    ]);
    const heads = await corpus.heads('s1', ['http://a/2', 'http://a/9']);
    await corpus.touch([heads.get('http://a/2')?.id ?? 0], start + 10);
    assert.equal(await corpus.removeUnseen('s1', start + 10, 1), 1);
    assert.equal(await corpus.removeUnseen('s1', start + 10, 10), 1);
    assert.deepEqual(await find('gull'), ['http://a/2', 'http://b/1']);
    await sources.remove('s2');
    assert.deepEqual(
      [await find('gull'), (await sources.list()).map(({ id }) => id)],
      [['http://a/2'], ['s1']],
    );
  });

  it('documents below an address are seen together, and no others', async (database) => {
    const { corpus, find } = await openCorpus(database);
    await corpus.put(['x/1', 'x/Y/2', 'x', 'X/1'].map((path) => documentOf(`http://a/${path}`, 'gull')));
    await corpus.touchBelow('s1', 'http://a/x/', start + 10);
    assert.equal(await corpus.removeUnseen('s1', start + 10, 10), 2);
    assert.deepEqual((await find('gull')).toSorted(), ['http://a/x/1', 'http://a/x/Y/2']);
  });

  it('the same text is known under its other address while that is fresh', async (database) => {
    const { corpus } = await openCorpus(database);
    await corpus.put([documentOf('http://a/1', 'same')]);
    assert.equal(await corpus.findText('s1', 'text of same', 'http://a/2', start), 'http://a/1');
    assert.equal(await corpus.findText('s1', 'text of same', 'http://a/1', start), null);
    assert.equal(await corpus.findText('s1', 'text of same', 'http://a/2', start + 1), null);
  });
}

function queryTests(it: It): void {
  it('a word that few passages have weighs more than words that most have', async (database) => {
    const { corpus, finder } = await openCorpus(database);
    const many = Array.from({ length: 30 }, (_, n) => documentOf(`http://a/${n}`, `harbour timetable ${n}`));
    await corpus.put([...many, documentOf('http://a/rare', 'a heron stands there')]);
    const { passages } = await finder.find('harbour timetable heron', { ...everything, passagesMax: 60 });
    const [best] = passages.toSorted((a, b) => b.score - a.score);
    const rare = (await corpus.heads('s1', ['http://a/rare'])).get('http://a/rare');
    assert.equal(Math.floor((best?.id ?? 0) / 1_024), rare?.id);
  });

  it('words meet in any form, without accents, and in scripts without spaces', async (database) => {
    const { corpus, find } = await openCorpus(database);
    await corpus.put([
      documentOf('http://a/en', 'Refunding customers quickly', { language: 'en' }),
      documentOf('http://a/fr', 'Un café très agréable', { language: 'fr' }),
      documentOf('http://a/ja', '東京都の港の歴史', { language: 'ja' }),
      documentOf('http://a/zh', '机器学习模型', { language: 'zh' }),
    ]);
    assert.deepEqual(await find('refunds'), ['http://a/en']);
    assert.deepEqual(await find('CAFE'), ['http://a/fr']);
    assert.deepEqual(await find('港の歴史'), ['http://a/ja']);
    assert.deepEqual(await find('学习'), ['http://a/zh']);
  });

  it('a phrase asks for its words in a row, free words for any of them, all of them first', async (database) => {
    const { corpus, find, finder } = await openCorpus(database);
    await corpus.put([
      documentOf('http://a/row', 'the red boat sails'),
      documentOf('http://a/both', 'a boat that is red'),
      documentOf('http://a/one', 'a red house'),
    ]);
    assert.deepEqual(await find('"red boat"'), ['http://a/row']);
    assert.deepEqual(await find('red boat'), ['http://a/both', 'http://a/one', 'http://a/row']);
    const { passages } = await finder.find('red boat', everything);
    assert.equal(passages.filter(({ hasAll }) => hasAll).length, 2);
  });

  it('titles and headings are found as well', async (database) => {
    const { corpus, find } = await openCorpus(database);
    await corpus.put([
      documentOf('http://a/1', 'x', { title: 'Calibration', headings: 'Temperature\nDrift' }),
    ]);
    assert.deepEqual([await find('calibration'), await find('drift')], [['http://a/1'], ['http://a/1']]);
  });

  it('no query is an error, whatever stands in it', async (database) => {
    const { corpus, finder } = await openCorpus(database);
    await corpus.put([documentOf('http://a/1', 'a red boat and not a house')]);
    const hostile = [
      '', ' ', '"', '""', '" "', 'a AND', 'NOT', 'red OR', 'NEAR(red boat, 5)', 'red*', '^red', 'text:red', '{text}:red',
      '(red', 'red)', '-red', '+red', 'red "boat', "red' boat", "'; drop table corpus_documents; --", 'red & | ! <-> boat',
      'a:*', String.raw`\ \' \"`, '\0red\0', '\u{1F600}', '\ud800', 'the of and', '%_', '"red" "boat" AND "x"', 'é'.repeat(4_000),
      'word '.repeat(1_600), '漢'.repeat(3_000), '"'.repeat(999), '“red boat„', 'a.b/c_d-e:f', '—', 'x'.repeat(8_000),
    ]; // prettier-ignore
    for (const text of hostile) {
      const { passages } = await finder.find(text, everything);
      assert.ok(passages.length <= 1, text.slice(0, 40));
    }
    assert.equal(await corpus.count('s1'), 1);
  });
}

function filterTests(it: It): void {
  it('domains match their sub-domains and nothing else, denied ones win', async (database) => {
    const { corpus, find } = await openCorpus(database);
    const urls = [
      'http://example.com/',
      'http://docs.example.com/',
      'http://badexample.com/',
      'http://example.com.evil.net/',
    ];
    await corpus.put(urls.map((url) => documentOf(url, 'gull')));
    const allowed = { allowDomains: ['example.com'] };
    assert.deepEqual(await find('gull', allowed), ['http://docs.example.com/', 'http://example.com/']);
    assert.deepEqual(await find('gull', { ...allowed, denyDomains: ['docs.example.com'] }), [
      'http://example.com/',
    ]);
    assert.deepEqual(await find('gull', { denyDomains: ['example.com', 'net'] }), ['http://badexample.com/']);
  });

  it('sources that are named are searched alone', async (database) => {
    const { corpus, sources, find } = await openCorpus(database);
    const other = { sourceId: 's2' };
    const added = { kind: 'web', options: '{}', everyMs: null, addedAtMs: start };
    await sources.ensure({ id: 's2', location: 'http://b/', ...added });
    await corpus.put([documentOf('http://a/1', 'gull'), documentOf('http://b/1', 'gull', other)]);
    assert.deepEqual(await find('gull', { sourceIds: ['s2'] }), ['http://b/1']);
    assert.deepEqual(await find('gull', { sourceIds: ['s1', 's2'] }), ['http://a/1', 'http://b/1']);
    assert.deepEqual(await find('gull', { sourceIds: ['s3'] }), []);
  });

  it('languages let the unknown pass, dates do not', async (database) => {
    const { corpus, find } = await openCorpus(database);
    await corpus.put([
      documentOf('http://a/de', 'gull', { language: 'de', date: '2024-03-05' }),
      documentOf('http://a/en', 'gull', { language: 'en', date: '2020-01-01', lastUpdated: '2024-06-01' }),
      documentOf('http://a/none', 'gull'),
    ]);
    assert.deepEqual(await find('gull', { languages: ['de', 'fr'] }), ['http://a/de', 'http://a/none']);
    const dates = (range: Partial<DateRange>) => find('gull', { dates: { ...anyDate, ...range } });
    assert.deepEqual(await dates({ publishedAfter: '2024-03-05' }), ['http://a/de']);
    assert.deepEqual(await dates({ publishedBefore: '2024-03-04' }), ['http://a/en']);
    assert.deepEqual(await dates({ updatedAfter: '2024-03-01' }), ['http://a/de', 'http://a/en']);
    assert.deepEqual(await dates({ updatedBefore: '2024-04-01' }), ['http://a/de']);
  });
}

function sourceTests(it: It): void {
  it('one process at a time refreshes a source, and one that died is followed', async (database) => {
    const { sources } = await openCorpus(database);
    const lease = (owner: string, nowMs: number) =>
      sources.lease('s1', { owner, nowMs, untilMs: nowMs + 100 });
    assert.deepEqual([await lease('a', 0), await lease('b', 50), await lease('a', 60)], [true, false, true]);
    assert.deepEqual([await lease('b', 161), await lease('a', 162)], [true, false]);
    await sources.release('s1', 'a');
    assert.equal(await lease('a', 163), false);
    await sources.release('s1', 'b');
    assert.equal(await lease('a', 164), true);
  });

  it('a refresh that was broken off goes on, unless it is stale', async (database) => {
    const { sources } = await openCorpus(database);
    assert.deepEqual(await sources.begin('s1', 100, 0), { begunAtMs: 100, isNew: true });
    await sources.push(
      's1',
      [
        { url: 'b', depth: 1 },
        { url: 'a', depth: 0 },
        { url: 'b', depth: 2 },
      ].slice(0, 2),
    );
    assert.equal(await sources.push('s1', [{ url: 'b', depth: 5 }]), 0);
    assert.deepEqual(await sources.next('s1', 9), [
      { url: 'a', depth: 0 },
      { url: 'b', depth: 1 },
    ]);
    await sources.done('s1', ['a']);
    assert.deepEqual(await sources.begin('s1', 200, 50), { begunAtMs: 100, isNew: false });
    assert.deepEqual(await sources.next('s1', 9), [{ url: 'b', depth: 1 }]);
    assert.deepEqual(await sources.frontierSize('s1'), { all: 2, done: 1 });
    assert.deepEqual(await sources.begin('s1', 300, 250), { begunAtMs: 300, isNew: true });
    assert.deepEqual(await sources.next('s1', 9), []);
    await sources.finish('s1', 400, '{"added":1}');
    const row = await sources.find('s1');
    assert.deepEqual(
      [row?.begunAtMs, row?.refreshedAtMs, row?.dueAtMs, row?.outcome],
      [null, 400, null, '{"added":1}'],
    );
  });

  it('what a refresh left when its process ended is known to the next, and sets the source aside', async (database) => {
    const { sources } = await openCorpus(database);
    const attempts = new CorpusAttempts(database.db);
    const source = {
      id: 's2',
      kind: 'web',
      location: 'http://b/',
      options: '{}',
      addedAtMs: start,
      everyMs: 1,
    };
    await sources.ensure(source);
    await attempts.begin('s2', ['a', 'b', 'c']);
    await attempts.end('s2', ['a', 'never begun']);
    await attempts.begin('s2', ['b']);
    await attempts.begin('s1', ['b']);
    const [b, c] = [
      { url: 'b', times: 2, isSkipped: false },
      { url: 'c', times: 1, isSkipped: false },
    ];
    assert.deepEqual(await attempts.left('s2'), [b, c]);
    await attempts.setAside('s2', 'b');
    assert.deepEqual(await attempts.left('s2'), [{ ...b, isSkipped: true }, c]);
    assert.equal((await sources.find('s2'))?.setAside, 'b');
    assert.equal(await sources.due(start + 9), undefined);
    await attempts.resume('s2');
    assert.equal((await sources.due(start + 9))?.id, 's2');
    await attempts.setAside('s2', 'b');
    assert.equal((await sources.ensure(source)).setAside, null);
    await sources.remove('s2');
    assert.deepEqual(await attempts.left('s2'), []);
    assert.equal((await attempts.left('s1')).length, 1);
  });

  it('a source with a rhythm is due again, once nobody is at it', async (database) => {
    const { sources } = await openCorpus(database);
    const source = { id: 's2', kind: 'web', location: 'http://b/', options: '{}', addedAtMs: start };
    await sources.ensure({ ...source, everyMs: 1_000 });
    assert.equal(await sources.due(start + 999), undefined);
    assert.equal((await sources.due(start + 1_000))?.id, 's2');
    await sources.lease('s2', { owner: 'a', nowMs: start, untilMs: start + 5_000 });
    assert.equal(await sources.due(start + 1_000), undefined);
    await sources.release('s2', 'a');
    await sources.finish('s2', start + 2_000, '{}');
    assert.deepEqual(
      [await sources.due(start + 2_999), (await sources.due(start + 3_000))?.id],
      [undefined, 's2'],
    );
    await sources.ensure({ ...source, everyMs: null });
    assert.equal(await sources.due(start + 9_000), undefined);
  });
}
