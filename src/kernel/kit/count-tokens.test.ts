import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { countAll, countEach } from './count-tokens.ts';
import { countTokens } from './words.ts';

const { signal } = new AbortController();

test('texts counted in slices have the tokens that they have at once', async () => {
  const texts = ['', 'Where is my card?', '你好 😡', 'ab cd, '.repeat(200_000)];
  assert.deepEqual(
    await countEach(texts, signal),
    texts.map((text) => countTokens(text)),
  );
  assert.equal(
    await countAll(texts, signal),
    texts.reduce((sum, text) => sum + countTokens(text), 0),
  );
  assert.equal(await countAll([], signal), 0);
});

test('the event loop turns while a long text is counted', async () => {
  const state = { turns: 0, isDone: false };
  const counting = countAll(['ab cd, '.repeat(8_000_000)], signal).finally(() => (state.isDone = true));
  for (; !state.isDone; await turn()) state.turns++;
  assert.ok(state.turns > 2, `${state.turns} turns`);
  await counting;
});

test('a count that nobody waits for any more ends', async () => {
  const reason = new Error('gone');
  await assert.rejects(countAll(['x'], AbortSignal.abort(reason)), reason);
  const leaving = new AbortController();
  const counting = countAll(['ab cd, '.repeat(8_000_000)], leaving.signal);
  setImmediate(() => leaving.abort(reason));
  await assert.rejects(counting, reason);
});
