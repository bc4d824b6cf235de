import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepRows } from './kept-rows.ts';
import type { RowText } from './row.ts';

const never = new AbortController().signal;
const asRow = (text: string) => ({ text, pair: null });
const saidOf = ({ text, pair }: RowText): string =>
  [text, pair].map((part) => (typeof part === 'string' ? part : '')).join('');

/** A token for each character, and what was tokenized. */
function open(most?: number) {
  const asked: string[][] = [];
  const tokenize = keepRows((texts) => {
    asked.push(texts.map(saidOf));
    return Promise.resolve(
      texts.map((row) => {
        const ids = [...saidOf(row)].map((character) => character.codePointAt(0) ?? 0);
        return { ids, types: ids.map(() => 0) };
      }),
    );
  }, most);
  const idsOf = async (...texts: readonly string[]) =>
    (await tokenize(texts.map(asRow), never, 'a')).map(({ ids }) => String.fromCodePoint(...ids));
  return { asked, tokenize, idsOf };
}

test('a text is tokenized once, also beside itself, and every text has its own row', async () => {
  const { asked, tokenize, idsOf } = open();
  assert.deepEqual(await idsOf('a', 'b', 'a'), ['a', 'b', 'a']);
  assert.deepEqual(await idsOf('c', 'b'), ['c', 'b']);
  assert.deepEqual(await idsOf('a', 'c'), ['a', 'c']);
  assert.deepEqual(asked, [['a', 'b'], ['c']]);
  const [pair] = await tokenize([{ text: 'a', pair: 'b' }], never, 'a');
  assert.equal(pair?.ids.length, 2);
});

test('the texts that were used last are kept, and one that is too long is not', async () => {
  const { asked, idsOf } = open(90);
  await idsOf('a', 'b', 'c');
  await idsOf('a');
  await idsOf('d');
  await idsOf('a');
  await idsOf('b');
  assert.deepEqual(asked, [['a', 'b', 'c'], ['d'], ['b']]);
  await idsOf('x'.repeat(100));
  await idsOf('x'.repeat(100));
  assert.equal(asked.length, 5);
});

test('a caller that has gone gets its reason, even for texts that are kept', async () => {
  const { tokenize } = open();
  await tokenize([asRow('a')], never, 'a');
  await assert.rejects(tokenize([asRow('a')], AbortSignal.abort(new Error('gone')), 'a'), /gone/);
});
