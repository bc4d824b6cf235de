import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { splitPassages } from '../../src/features/index/split.ts';
import { openTestIndex } from './index-support.ts';

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

  test('a page of which nothing but the title is asked for shows how it begins as well', async (t) => {
    const filler = 'Nothing of interest stands here. '.repeat(30);
    const parts = Array.from({ length: 14 }, (_, n) => `## Part ${n}\n\nThe heron waits. ${filler}`);
    const text = [`A bird of marshes. ${filler}`, ...parts].join('\n\n');
    for (const [title, query, isBegun] of [
      ['The heron', 'What is a heron?', true],
      ['The heron', 'Why does the heron wait?', false],
      ['Birds', 'heron', false],
    ] as const) {
      const index = await openTestIndex(t);
      await index.put('http://a/bird', document(text, title));
      const [hit] = await index.find(query);
      assert.equal(hit?.snippet.includes('A bird of marshes.'), isBegun, query);
    }
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

  test('a word that was nowhere is found as soon as a document has it', async (t) => {
    const index = await openTestIndex(t);
    await index.put('http://a/1', document('the heron'));
    assert.deepEqual(await index.urls('bittern'), []);
    await index.put('http://a/2', document('the bittern'));
    assert.deepEqual(await index.urls('bittern'), ['http://a/2']);
  });

  test('of words that are everywhere, what has them all comes first, however old it is', async (t) => {
    const index = await openTestIndex(t);
    const both = ['http://a/1', 'http://a/2', 'http://a/3'];
    for (const [n, url] of both.entries()) await index.put(url, document(`harbour, ${n} timetable`));
    // A passage each: more than are scored by their words alone.
    const filler = 'and some more to be said of it, so that it stands alone as a passage '.repeat(3);
    const many = (word: string) => `## ${word}\n\n${filler}\n\n`.repeat(1_010);
    await index.put('http://b/1', document(many('harbour')));
    await index.put('http://b/2', document(many('timetable')));
    const found = await index.urls('harbour timetable');
    assert.deepEqual(found.slice(0, 3).toSorted(), both);
    assert.equal(found.length, 5, 'one word alone is found as well');
    assert.equal((await index.urlsByWords('harbour timetable')).length, 5);
    assert.deepEqual((await index.urls('"harbour, 1 timetable"')).slice(0, 1), ['http://a/2']);
    assert.deepEqual(await index.urls('"and some more"'), ['http://b/2', 'http://b/1']);
  });

  test('an engine of embeddings that fails, or does not answer, costs the meaning and not the answer', async (t) => {
    const index = await openTestIndex(t);
    await index.put('http://a/1', document('the heron'));
    for (const engine of ['failing', 'silent'] as const)
      assert.deepEqual(await index.urlsByWords('heron', engine), ['http://a/1']);
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
