import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowsOf } from './windows.ts';

/** A token for each word or sign, and two around a text. */
const count = (texts: readonly string[]) =>
  Promise.resolve(texts.map((text) => (text.match(/\p{L}+|[^\p{L}\s]/gu)?.length ?? 0) + 2));

test('a text that fits is one window, and one that does not is cut at the ends of sentences', async () => {
  const text = 'One two three. Four five six. Seven eight nine.';
  assert.deepEqual(await windowsOf(text, { wholeMax: 14, tokensMax: 10 }, count), [text]);
  assert.deepEqual(await windowsOf(text, { wholeMax: 13, tokensMax: 10 }, count), [
    'One two three. Four five six. ',
    'Seven eight nine.',
  ]);
  assert.deepEqual(await windowsOf('', { wholeMax: 10, tokensMax: 10 }, count), ['']);
});

test('windows are the whole text and none is too long, whatever it is made of', async () => {
  const texts = [
    'word '.repeat(1_000),
    'no blank between'.replaceAll(' ', '').repeat(2_000),
    '雪が降る。'.repeat(300),
    '\u{1F600}'.repeat(500),
    `${'a b c. '.repeat(40)}${'.'.repeat(200)}\n\n${'x,'.repeat(300)}`,
  ];
  for (const text of texts) {
    const windows = await windowsOf(text, { wholeMax: 16, tokensMax: 16 }, count);
    assert.equal(windows.join(''), text);
    assert.ok((await count(windows)).every((tokens) => tokens <= 16));
    assert.ok(windows.every((window) => window.isWellFormed()));
  }
});
