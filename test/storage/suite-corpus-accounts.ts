import assert from 'node:assert/strict';

import { Corpus } from '../../src/features/search/corpus/corpus.ts';
import { toIndexWords } from '../../src/features/search/corpus/words.ts';
import { Fault } from '../../src/kernel/faults.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { storeOf } from '../../src/kernel/store/store.ts';
import { documentOf, everything, start } from './corpus-documents.ts';
import { openCorpus, type It } from './suite-corpus.ts';

/** Two accounts beside what is shared. */
async function openAccounts(database: Database) {
  const opened = await openCorpus(database);
  const add = (accountId: string, location: string) => {
    const source = { id: `${accountId}:${location}`, kind: 'web', location, options: '{}', everyMs: null, addedAtMs: start, accountId }; // prettier-ignore
    return opened.sources.ensure(source);
  };
  for (const account of ['one', 'two']) await add(account, 'http://own/');
  const write = (accountId: string, url: string, text: string, title = '') =>
    opened.corpus.put([documentOf(url, text, { sourceId: `${accountId}:http://own/`, title })]);
  return { ...opened, add, write };
}

/** What every store guarantees of the documents of accounts. */
export function corpusAccountTests(it: It): void {
  it('a document of an account is found by its account and by no other, by text, title and phrase', async (database) => {
    const { corpus, sources, find, write } = await openAccounts(database);
    await corpus.put([documentOf('http://a/shared', 'the heron of all')]);
    await write('one', 'http://own/1', 'the heron of one stands running', 'Plovers');
    await write('two', 'http://own/2', 'the heron of two');
    const own = { accountId: 'one' };
    assert.deepEqual(await find('heron', own), ['http://a/shared', 'http://own/1']);
    assert.deepEqual(await find('"heron of one"', own), ['http://own/1']);
    assert.deepEqual(await find('plover', own), ['http://own/1'], 'by its title, in another form');
    assert.deepEqual(await find('run', own), ['http://own/1'], 'by its text, in another form');
    assert.deepEqual(await find('plover run "heron of one"', { accountId: 'two' }), []);
    assert.deepEqual(await find('heron', { accountId: 'three' }), ['http://a/shared']);
    assert.deepEqual(await find('heron'), ['http://a/shared']);
    const named = { sourceIds: ['one:http://own/'] };
    assert.deepEqual(await find('heron', { ...own, ...named }), ['http://own/1']);
    assert.deepEqual(await find('heron', { accountId: 'two', ...named }), [], 'by the id of its source');
    await corpus.remove('one:http://own/', ['http://own/1']);
    assert.deepEqual(await find('plover heron', own), ['http://a/shared']);
    assert.equal((await sources.list('two')).length, 1);
    assert.equal((await sources.find('http://own/', 'two'))?.id, 'two:http://own/');
    assert.equal(await sources.find('http://own/'), undefined);
  });

  it('a word that is rare for an account ranks as rare, however often others write it', async (database) => {
    const { corpus, finder, write } = await openAccounts(database);
    await write('one', 'http://own/1', 'heron');
    for (const n of [2, 3, 4]) await write('one', `http://own/${n}`, 'gull');
    const others = Array.from({ length: 40 }, (_, n) =>
      documentOf(`http://own/${n}`, 'heron', { sourceId: 'two:http://own/' }),
    );
    await corpus.put(others);
    const { passages } = await finder.find('heron gull', { ...everything, accountId: 'one' });
    const [heron = 0, gull = Infinity] = passages.toSorted((a, b) => a.id - b.id).map(({ score }) => score);
    assert.equal(passages.length, 4);
    // On PostgreSQL the rank of a passage is of its own words alone.
    assert.ok(storeOf(database.db) === 'postgres' ? heron === gull : heron > gull, `${heron} ${gull}`);
  });

  it('no query names the words of another account, whatever signs it has', async (database) => {
    const { find, write } = await openAccounts(database);
    await write('one', 'http://own/1', 'heron');
    const privateSigns = Array.from({ length: 6_400 }, (_, at) => String.fromCodePoint(0xe0_00 + at));
    assert.equal(toIndexWords(`${privateSigns.join('')}heron`), 'heron');
    assert.deepEqual(await find(`${privateSigns.slice(0, 5).join('')}heron`, { accountId: 'two' }), []);
  });

  it('an account has no more documents and no more text than it may; others and all go on', async (database) => {
    const { add } = await openAccounts(database);
    const corpus = new Corpus(database.db, database.db, { documentsMax: 2, bytesMax: 100 });
    const put = (url: string, text: string, sourceId = 'one:http://own/') =>
      corpus.put([documentOf(url, text, { sourceId })]);
    const isBeyond = (error: unknown) => error instanceof Fault && error.code === 'storage_quota_exceeded';
    await put('http://own/1', 'heron');
    await put('http://own/2', 'x'.repeat(90));
    await assert.rejects(put('http://own/3', 'tern'), isBeyond);
    await assert.rejects(put('http://own/1', 'x'.repeat(20)), isBeyond, 'of one that is replaced');
    assert.deepEqual(await corpus.use('one'), { documents: 2, bytes: 95 });
    await add('two', 'http://more/');
    await put('http://own/3', 'tern', 'two:http://more/');
    await put('http://a/1', 'x'.repeat(1_000), 's1');
    await corpus.remove('one:http://own/', ['http://own/2']);
    await put('http://own/3', 'tern');
    assert.deepEqual(await corpus.use('one'), { documents: 2, bytes: 9 });
  });
}
