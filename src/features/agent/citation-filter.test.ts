import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { CitationFilter } from './citation-filter.ts';
import { CitationIndex } from './citation-index.ts';

const found = (url: string) => ({
  url,
  title: url,
  snippet: '',
  date: null,
  lastUpdated: null,
  language: null,
  text: '',
});

function bookOf(count: number): CitationIndex {
  const book = new CitationIndex();
  for (let n = 1; n <= count; n++) book.cite(found(`https://e.com/${n}`));
  return book;
}

function run(pieces: readonly string[], sources = 3) {
  const filter = new CitationFilter(bookOf(sources));
  const text = pieces.map((piece) => filter.push(piece)).join('') + filter.end();
  return { text, citations: filter.citations };
}

test('markers with a source stay where they are, others go with the space before them', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['The kea is a parrot [1].', 'The kea is a parrot [1].'],
    ['The kea is a parrot [9].', 'The kea is a parrot.'],
    ['A [1][9][2] b', 'A [1][2] b'],
    ['A [1, 2] b [3,9] c [7,8].', 'A [1][2] b [3] c.'],
    ['[9] begins\n[8] next', 'begins\nnext'],
    ['no marker: [x] [] [1a] [-1] a[', 'no marker: [x] [] [1a] [-1] a['],
    ['[0] and [0001]', 'and [1]'],
    ['a link [1](https://e.com) stays, [4](x) too', 'a link [1](https://e.com) stays, [4](x) too'],
    ['code `a[9]` and ```\nb[8] = [7]\n``` then [9]', 'code `a[9]` and ```\nb[8] = [7]\n``` then'],
    [
      'The value of m[0][42] is in x[7] and self.rows[9], not here [9].',
      'The value of m[0][42] is in x[7] and self.rows[9], not here.',
    ],
    [
      'f(x)[9] and words[0] and a parrot[9], a parrot[1][9]',
      'f(x)[9] and words[0] and a parrot, a parrot[1]',
    ],
    ['```py\nm[0][42]  # `[9]`\n ```` \nthen [9]', '```py\nm[0][42]  # `[9]`\n ```` \nthen'],
    ['~~~\nm [9]\n~~~\n~~no~~ [9]', '~~~\nm [9]\n~~~\n~~no~~'],
    ['it`s a tick [9]\n\nand a paragraph [9].', 'it`s a tick [9]\n\nand a paragraph.'],
    ['``` in a line [9] ``` and [9]', '``` in a line [9] ``` and'],
    ['spaces   [9]   stay apart', 'spaces   stay apart'],
    ['[1', '[1'],
    ['ends with spaces  ', 'ends with spaces  '],
    ['', ''],
  ];
  for (const [text, expected] of cases) assert.equal(run([text]).text, expected, text);
});

test('each marker that stays is noted with its place', () => {
  const { text, citations } = run(['é \u{1F600} [1] and [9] then [2, 3].']);
  assert.deepEqual(
    citations.map(({ start, end, sourceId }) => [text.slice(start, end), sourceId]),
    [
      ['[1]', 1],
      ['[2]', 2],
      ['[3]', 3],
    ],
  );
  assert.equal(citations[0]?.url, 'https://e.com/1');
});

test('it does not matter where a text is cut', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '1',
    '9',
    '[1]',
    '[9]',
    ' ',
    ', ',
    '`',
    '```',
    '~~~',
    'm[0]',
    'x',
    ')',
    '(',
    '\n',
    'ab',
    'é',
    '\u{1F600}',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (pieces, size) => {
      const text = pieces.join('');
      const cut = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      assert.deepEqual(run(cut), run([text]));
    }),
    { numRuns: 2_000 },
  );
});

test('a text costs as much as it is long, however it is cut and whatever it is made of', () => {
  // Steps are counted by what is taken out of the sources: each marker is looked up once or twice.
  const lookups = (text: string) => {
    const book = bookOf(1);
    let count = 0;
    const find = book.find.bind(book);
    book.find = (id) => (count++, find(id));
    const filter = new CitationFilter(book);
    for (const char of text) filter.push(char);
    filter.end();
    return count;
  };
  for (const piece of ['[9]', 'm[7]', ' [9', '[1][2]', 'x[1][1]']) {
    const [one, four] = [lookups(piece.repeat(100)), lookups(piece.repeat(400))];
    assert.ok(four <= 4 * one + 400, `${piece}: ${one}, then ${four}`);
  }
});

test('plain text is told at once', () => {
  const filter = new CitationFilter(bookOf(1));
  assert.equal(filter.push('Hello'), 'Hello');
  assert.equal(filter.push(' wor'), ' wor');
  assert.equal(filter.push('ld. '), 'ld.');
  assert.equal(filter.push('[1'), '');
  assert.equal(filter.push('] x'), ' [1] x');
});

test('a page keeps its number, however often and by whatever tool it is found', () => {
  const book = new CitationIndex();
  assert.deepEqual(
    ['a', 'b', 'a', 'c', 'b'].map((url) => book.cite(found(url)).id),
    [1, 2, 1, 3, 2],
  );
  assert.equal(book.find(2)?.url, 'b');
  assert.equal(book.find(4), undefined);
  assert.equal(book.all().length, 3);
});
