import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { docsPath, indexDocs } from '../../src/corpus/docs.ts';
import { splitPassages } from '../../src/corpus/split.ts';
import { defaultWeights, rankDocuments } from '../../src/search/engines/corpus/rank.ts';
import { docsQuestions } from './docs-questions.ts';
import { openTestIndex } from './index-support.ts';
import { measureRanking } from './ranking.ts';

const root = new URL('../../', import.meta.url);
const base = 'http://127.0.0.1:8787';

suite('questions about the documentation', () => {
  test('the right page is found, and meaning finds it more often than words alone', async (t) => {
    const index = await openTestIndex(t);
    await indexDocs(index.parts, { root, base }, new AbortController().signal);
    const withMeaning = await measureRanking(docsQuestions, async (text) => toPages(await index.urls(text)));
    const words = await measureRanking(docsQuestions, async (text) => toPages(await index.urlsByWords(text)));
    const told = JSON.stringify({ withMeaning, words });
    assert.ok(docsQuestions.length >= 40);
    // Somewhat below what was measured, so that a page that is rewritten does not fail the build.
    assert.ok(withMeaning.hit1 >= 0.65 && withMeaning.hit5 >= 0.85 && withMeaning.mrr >= 0.75, told);
    assert.ok(withMeaning.mrr > words.mrr, told);
  });

  function toPages(urls: readonly string[]): readonly string[] {
    return urls.map((url) => url.slice(base.length + docsPath.length));
  }
});

suite('hits of the index', () => {
  const document = (text: string, title = '') => ({
    title,
    headings: '',
    text,
  });

  test('a hit shows the passages that fit, in the order of the page', async (t) => {
    const index = await openTestIndex(t);
    const filler = (n: number) => `Filler number ${n}. ${'Nothing of interest stands here. '.repeat(30)}`;
    const text = ['# Birds', '## One', filler(1), '## Two', `The heron waits. ${filler(2)}`, '## Three', filler(3), '## Four', `A heron flies. ${filler(4)}`].join('\n\n'); // prettier-ignore
    await index.put('http://a/birds', document(text, 'Birds'));
    const [hit] = await index.find('heron');
    assert.ok(hit !== undefined);
    assert.ok(hit.snippet.indexOf('The heron waits') >= 0);
    assert.ok(hit.snippet.indexOf('A heron flies') > hit.snippet.indexOf('The heron waits'));
    assert.ok(!hit.snippet.includes('Filler number 1'));
  });

  test('one text is told once, one page as well, however many sources have it', async (t) => {
    const index = await openTestIndex(t);
    for (const url of ['http://a/1', 'http://a/2']) await index.put(url, document('the same heron'));
    assert.equal((await index.find('heron')).length, 1);
  });

  test('what is only in a title is shown with the beginning of its document', async (t) => {
    const index = await openTestIndex(t);
    await index.put('http://a/1', document('Legs as long as stilts.', 'The heron'));
    const [hit] = await index.find('heron');
    assert.deepEqual([hit?.title, hit?.snippet], ['The heron', 'Legs as long as stilts.']);
  });

  test('filters are those of a search: domains, dates and age', async (t) => {
    const index = await openTestIndex(t);
    const today = new Date().toISOString().slice(0, 10);
    await index.put('http://docs.example.com/new', { ...document('heron one'), date: today });
    await index.put('http://example.org/old', { ...document('heron two'), date: '2001-01-01' });
    const weekMs = 7 * 86_400_000;
    assert.deepEqual(await index.urls('heron', { maxAgeMs: weekMs }), ['http://docs.example.com/new']);
    assert.deepEqual(await index.urls('heron', { allowDomains: ['example.org'] }), [
      'http://example.org/old',
    ]);
    assert.deepEqual(await index.urls('heron', { publishedBefore: '2010-01-01' }), [
      'http://example.org/old',
    ]);
  });

  test('an engine of embeddings that fails costs the meaning and not the answer', async (t) => {
    const index = await openTestIndex(t);
    await index.put('http://a/1', document('the heron'));
    assert.deepEqual(await index.urlsByWords('heron'), ['http://a/1']);
  });
});

suite('ranking', () => {
  test('vectors of another engine are not compared', () => {
    const vector = new Uint8Array(Int8Array.from([127, 0]).buffer);
    const passage = (id: number, embeddedBy: string) => ({
      id: id * 1_024,
      score: 1,
      hasAll: false,
      vector,
      embeddedBy,
    });
    const passages = [passage(1, 'other'), passage(2, 'ours')];
    const query = { values: Float32Array.from([1, 0]), embeddedBy: 'ours' };
    const ranked = rankDocuments({ passages, titles: [] }, query);
    assert.deepEqual(
      ranked.map(({ documentId, score }) => [documentId, score]),
      [
        [2, 1 + defaultWeights.meaning],
        [1, 1],
      ],
    );
  });

  test('nothing found is an empty ranking', () => {
    assert.deepEqual(rankDocuments({ passages: [], titles: [] }, null), []);
  });
});

suite('passages', () => {
  test('every word of a text is in a passage, at the place it says, and none is long', () => {
    const paragraph = (n: number) => `Paragraph ${n}. ${`word${n} `.repeat(120)}`.trim();
    const text = [
      '# Title', paragraph(1), '## First', paragraph(2), paragraph(3), '```sh\n# not a heading\n\nls\n```', '### Deep', 'short',
      '## Second', 'x'.repeat(9_000), '漢字'.repeat(900), 'A sentence. '.repeat(400),
    ].join('\n\n'); // prettier-ignore
    const pieces = splitPassages(text, 1_000);
    for (const { text: piece, startAt } of pieces) {
      assert.equal(text.slice(startAt, startAt + piece.length), piece);
      assert.ok(piece.length <= 320 * 4 + 20, `${piece.length}`);
    }
    const joined = pieces.map(({ text: piece }) => piece).join('');
    assert.equal(joined.replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
    assert.equal(pieces.find(({ text: piece }) => piece.includes('word3'))?.heading, 'Title > First');
    assert.ok(!pieces.some(({ heading }) => heading.includes('not a heading')));
  });

  test('there are no more than were asked for, and none of nothing', () => {
    assert.equal(splitPassages('# A\n\ntext\n'.repeat(9_000), 7).length, 7);
    assert.deepEqual(splitPassages(' \n\n ', 7), []);
  });
});
