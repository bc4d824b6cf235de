import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectScanner } from './object-scanner.ts';

function closedAfter(...pieces: readonly string[]): readonly boolean[] {
  const scanner = new ObjectScanner();
  return pieces.map((piece) => {
    scanner.push(piece);
    return scanner.isClosed;
  });
}

test('an object is closed where its last brace is, however it is cut', () => {
  const text = ' {"a":[{"b":"}\\"]"},1],"c":{}} ';
  const last = text.lastIndexOf('}');
  assert.deepEqual(
    closedAfter(...text),
    [...text].map((_, at) => at >= last),
  );
  assert.deepEqual(closedAfter(text), [true]);
});

test('a brace inside a text closes nothing, nor does one behind an escape that is cut', () => {
  assert.deepEqual(closedAfter('{"a":"}', '\\', '"}', '"', '}'), [false, false, false, false, true]);
});

test('what begins again is open again, and more is closed than was opened in no object', () => {
  assert.deepEqual(closedAfter('{}', '{', '}'), [true, false, true]);
  assert.deepEqual(closedAfter('}', '}'), [false, false]);
});
