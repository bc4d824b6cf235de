import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { StopScanner } from './stop-scanner.ts';

function scan(stops: readonly string[], pieces: readonly string[]) {
  const scanner = new StopScanner(stops);
  const received: string[] = [];
  for (const piece of pieces) {
    const { text, stop } = scanner.push(piece);
    received.push(text);
    if (stop !== null) return { received, text: received.join(''), stop };
  }
  received.push(scanner.end());
  return { received, text: received.join(''), stop: null };
}

suite('the scanner for stop sequences', () => {
  test('without stop sequences everything passes at once', () => {
    assert.deepEqual(scan([], ['a', 'b']).received, ['a', 'b', '']);
    assert.deepEqual(scan([''], ['a']).received, ['a', '']);
  });

  test('ends the text before a sequence that comes in pieces', () => {
    assert.deepEqual(scan(['STOP'], ['one S', 'T', 'OP two']), {
      received: ['one ', '', ''],
      text: 'one ',
      stop: 'STOP',
    });
  });

  test('emits what only looked like a beginning, as soon as it is clear', () => {
    assert.deepEqual(scan(['###'], ['a#', '#b', 'c##']).received, ['a', '##b', 'c', '##']);
  });

  test('a beginning inside a broken beginning is kept', () => {
    assert.deepEqual(scan(['aab'], ['aa', 'ab']).text, 'a');
    assert.equal(scan(['aab'], ['aa', 'ab']).stop, 'aab');
  });

  test('the sequence that is complete first wins', () => {
    assert.equal(scan(['bcd', 'c'], ['abcd']).stop, 'c');
    assert.equal(scan(['b', 'ab'], ['xab']).stop, 'ab');
  });

  test('does not depend on where the pieces are cut, and emits no stop sequence', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 24 });
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(text, stops, (whole, wanted) => {
        const single = scan(wanted, [...whole]);
        const once = scan(wanted, [whole]);
        assert.deepEqual([single.text, single.stop], [once.text, once.stop]);
        assert.ok(wanted.every((stop) => !once.text.includes(stop)));
        if (once.stop === null) assert.equal(once.text, whole);
      }),
    );
  });
});
