import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPlainAnswer } from './plain-answer.ts';

/** In pieces that end at these places. */
function read(text: string, cuts: readonly number[] = []): string {
  const plain = createPlainAnswer();
  const ends = [...cuts, text.length].map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b);
  let from = 0;
  const shown = ends.map((end) => {
    const piece = plain.write(text.slice(from, end));
    from = end;
    return piece;
  });
  return shown.join('') + plain.end();
}

const answer = `## Keys of the van

The **keys** hang [beside the exit](https://wiki.example.com/van) [1], see \`van.md\`.
* one
- two and [three](keys.md)

| Key | Hook |
| --- | :--: |
| van | red  |

\`\`\`sh
echo "## not a heading" # [x](y)
\`\`\`
snake_case and 2 * 3 * 4 stay.`;

const words = `Keys of the van

The keys hang beside the exit (https://wiki.example.com/van) [1], see van.md.
- one
- two and three

Key · Hook
van · red

echo "## not a heading" # [x](y)
snake_case and 2 * 3 * 4 stay.`;

test('a person reads words, without the marks of Markdown', () => {
  assert.equal(read(answer), words);
});

test('wherever the answer is cut on its way, the same words come', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(answer.length), { maxLength: 40 }), (cuts) => {
      assert.equal(read(answer, cuts), words);
    }),
  );
});

test('words are shown before their line is whole, and markers of sources hold nothing back', () => {
  const plain = createPlainAnswer();
  assert.equal(plain.write('The kea is a parrot [1] of the mou'), 'The kea is a parrot [1] of the ');
  assert.equal(plain.write('ntains and **very** cur'), 'mountains and ');
  assert.equal(plain.end(), 'very cur');
});
