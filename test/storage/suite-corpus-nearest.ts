import assert from 'node:assert/strict';

import { createCandidateFinder } from '../../src/features/search/corpus/find.ts';
import type { CandidateOptions } from '../../src/features/search/corpus/candidates.ts';
import { CorpusVectors } from '../../src/features/search/corpus/vectors.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { documentOf, everything, passageOf, start } from './corpus-documents.ts';
import { openCorpus, type It } from './suite-corpus.ts';

/** Signed bytes. */
export const vectorOf = (...values: readonly number[]) => new Uint8Array(new Int8Array(values).buffer);

/** A document of one passage with a vector. */
export const documentAt = (
  url: string,
  values: readonly number[],
  over: Parameters<typeof documentOf>[2] = {},
) => documentOf(url, url, { passages: [passageOf(`text of ${url}`, '', 0, vectorOf(...values))], ...over });

/** Addresses of what is near and has no word of the query, nearest first. */
export async function nearest(
  database: Database,
  values: readonly number[],
  options: Partial<CandidateOptions> = {},
  embeddedBy = 'words',
  finder = createCandidateFinder(database.db, () => 0, refuse),
): Promise<readonly string[]> {
  const { corpus } = await openCorpus(database);
  const meaning = Promise.resolve({ values: Float32Array.from(values), embeddedBy });
  const { passages } = await finder.find('unheardof', { ...everything, ...options, meaning });
  assert.ok(passages.every(({ score, hasAll }) => score === 0 && !hasAll));
  const documents = passages.map(({ id }) => Math.floor(id / 1_024));
  const rows = new Map((await corpus.readDocuments(documents)).map(({ id, url }) => [id, url]));
  return [...new Set(documents)].map((id) => rows.get(id) ?? 'gone').toSorted();
}

export const refuse = (part: string, error: unknown): never => {
  throw new Error(part, { cause: error });
};

export const east = [100, 10, 0, 0];

/** What stores that find by meaning alone guarantee of it. */
export function corpusNearestTests(it: It): void {
  it('what is near in meaning is found without a word of the query, and is gone with its document', async (database) => {
    const { corpus } = await openCorpus(database);
    const many = Array.from({ length: 60 }, (_, n) => documentAt(`http://a/far${n}`, [-100, n, 0, 1]));
    await corpus.put([documentAt('http://a/near', east), ...many]);
    const found = await nearest(database, [1, 0, 0, 0]);
    assert.ok(found.includes('http://a/near') && found.length === 40, String(found));
    assert.equal((await nearest(database, [1, 0, 0, 0], {}, 'encoder')).length, 0, 'of another engine');
    assert.equal((await nearest(database, [0, 0, 0, 0])).length, 0, 'without a direction');
    await corpus.put([documentAt('http://a/near', [-100, 0, 0, 1])]);
    await corpus.remove('s1', ['http://a/near', ...many.map(({ url }) => url)]);
    assert.deepEqual(await nearest(database, [1, 0, 0, 0]), []);
  });

  it('a passage is as near as the nearest of its windows, and is told once', async (database) => {
    const { corpus } = await openCorpus(database);
    await corpus.put([
      documentAt('http://a/windows', [0, 0, 100, 0, ...east, 0, 0, 0, 0]),
      documentAt('http://a/beside', [0, 100, 0, 0]),
    ]);
    assert.deepEqual(await nearest(database, [1, 0, 0, 0]), ['http://a/beside', 'http://a/windows']);
  });

  it('filters and sources hold for what is near as well', async (database) => {
    const { corpus, sources } = await openCorpus(database);
    await sources.ensure({ id: 's2', kind: 'web', location: 'http://b/', options: '{}', everyMs: null, addedAtMs: start }); // prettier-ignore
    await corpus.put([
      documentAt('http://a.example/1', east, { language: 'en', date: '2026-01-01' }),
      documentAt('http://b.example/1', east, { language: 'de', date: '2020-01-01', sourceId: 's2' }),
    ]);
    const [a, b] = [['http://a.example/1'], ['http://b.example/1']];
    const near = (options: Partial<CandidateOptions>) => nearest(database, east, options);
    assert.deepEqual(await near({}), [...a, ...b]);
    assert.deepEqual(await near({ allowDomains: ['b.example'] }), b);
    assert.deepEqual(await near({ denyDomains: ['example'] }), []);
    assert.deepEqual(await near({ languages: ['en'] }), a);
    assert.deepEqual(await near({ dates: { ...everything.dates, publishedBefore: '2021-01-01' } }), b);
    assert.deepEqual(await near({ sourceIds: ['s2'] }), b);
    assert.deepEqual(await near({ sourceIds: ['none'] }), []);
  });

  it('what is near and belongs to an account is found by that account alone', async (database) => {
    const { corpus, sources } = await openCorpus(database);
    const own = { id: 'own', kind: 'web', location: 'http://own/', options: '{}', everyMs: null, addedAtMs: start, accountId: 'one' }; // prettier-ignore
    await sources.ensure(own);
    await corpus.put([documentAt('http://a/1', east), documentAt('http://own/1', east, { sourceId: 'own' })]);
    assert.deepEqual(await nearest(database, east), ['http://a/1']);
    assert.deepEqual(await nearest(database, east, { accountId: 'two' }), ['http://a/1']);
    assert.deepEqual(await nearest(database, east, { accountId: 'one' }), ['http://a/1', 'http://own/1']);
    const named = { sourceIds: ['own'] };
    assert.deepEqual(await nearest(database, east, { accountId: 'one', ...named }), ['http://own/1']);
    assert.deepEqual(await nearest(database, east, { accountId: 'two', ...named }), []);
  });

  it('a phrase finds only what has it', async (database) => {
    const { corpus, finder } = await openCorpus(database);
    await corpus.put([documentAt('http://a/1', east)]);
    const meaning = Promise.resolve({ values: Float32Array.from(east), embeddedBy: 'words' });
    const { passages } = await finder.find('"never said"', { ...everything, meaning });
    assert.deepEqual(passages, []);
  });

  it('what one finder keeps follows what is written, whoever writes it', async (database) => {
    const { corpus, sources } = await openCorpus(database);
    const own = { id: 'own', kind: 'web', location: 'http://own/', options: '{}', everyMs: null, addedAtMs: start, accountId: 'one' }; // prettier-ignore
    await sources.ensure(own);
    const finder = createCandidateFinder(database.db, () => 0, refuse);
    const near = (embeddedBy?: string) => nearest(database, east, { accountId: 'one' }, embeddedBy, finder);
    await corpus.put([documentAt('http://a/1', east)]);
    assert.deepEqual(await near(), ['http://a/1']);
    await corpus.put([documentAt('http://a/2', east), documentAt('http://own/1', east, { sourceId: 'own' })]);
    assert.deepEqual(await near(), ['http://a/1', 'http://a/2', 'http://own/1']);
    await corpus.put([documentAt('http://a/2', east, { embeddedBy: null })]);
    await corpus.remove('own', ['http://own/1']);
    assert.deepEqual(await near(), ['http://a/1']);
    const vectors = new CorpusVectors(database.db);
    const [stale] = await vectors.stale('words', 0, 9);
    assert.ok(stale !== undefined);
    await vectors.put(stale, 'words', [{ id: stale.id * 1_024, vector: vectorOf(...east) }]);
    assert.deepEqual(await near(), ['http://a/1', 'http://a/2']);
    const all = await Promise.all([near(), near(), near('another'), near()]);
    assert.deepEqual(all, [['http://a/1', 'http://a/2'], ['http://a/1', 'http://a/2'], [], ['http://a/1', 'http://a/2']]); // prettier-ignore
  });
}
