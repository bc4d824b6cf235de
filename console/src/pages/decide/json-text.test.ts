import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parseJson, printJson, toPlain } from './json-text.ts';

suite('JSON with places', () => {
  test('whatever JSON.parse takes is read as the same value, and printed as the same text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const { value, problem } = parseJson(text);
        assert.equal(problem, null);
        assert.deepEqual(toPlain(value), JSON.parse(text));
        assert.deepEqual(JSON.parse(printJson(value, '  ')), JSON.parse(text));
        assert.deepEqual(JSON.parse(printJson(value)), JSON.parse(text));
      }),
    );
  });

  test('a text that was changed anywhere is refused exactly when JSON.parse refuses it', () => {
    const character = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      'e',
      't',
      ' ',
      '\n',
      '\u0001',
      'u',
    );
    const seen = { good: 0, bad: 0 };
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        character,
        fc.nat(2),
        (text, place, letter, removed) => {
          const at = place % (text.length + 1);
          const changed = text.slice(0, at) + letter + text.slice(at + removed);
          const isGood = parses(changed);
          const { problem } = parseJson(changed);
          if (problem?.message.endsWith('is here twice') === true) return;
          assert.equal(problem === null, isGood, changed);
          seen[isGood ? 'good' : 'bad'] += 1;
        },
      ),
      { numRuns: 2_000 },
    );
    assert.ok(seen.good > 20 && seen.bad > 200, JSON.stringify(seen));
  });

  test('the first mistake is told with its line and column', () => {
    for (const [text, line, column, message] of [
      ['', 1, 1, /nothing here/],
      ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /a comma or }/],
      ['{\n  "a": 1,\n}', 3, 1, /after the comma/],
      ['{ a: 1 }', 1, 3, /double quotes/],
      ['{ "a" 1 }', 1, 7, /a colon/],
      ['{ "a": tru }', 1, 8, /a value/],
      ['["a\n"]', 1, 2, /not closed/],
      ['["a', 1, 2, /not closed/],
      ['[1] 2', 1, 5, /follow the end/],
      ['[', 1, 2, /the end/],
      ['{"a": 1, "\\u0061": 2}', 1, 10, /"a" is here twice/],
    ] as const) {
      const { problem } = parseJson(text);
      assert.deepEqual([problem?.line, problem?.column], [line, column], text);
      assert.match(problem?.message ?? '', message, text);
    }
  });

  test('names keep their order, and __proto__ is a name like others', () => {
    const text = '{"b":1,"10":2,"2":{"__proto__":{"x":1}},"a":[]}';
    const { value } = parseJson(text);
    assert.ok(value !== null);
    assert.equal(printJson(value), text);
    assert.equal(Object.getPrototypeOf(toPlain(value)), Object.prototype);
  });

  test('numbers keep every digit, in what is printed and in what is sent', () => {
    const text =
      '{"id":12345678901234567891,"part":0.12345678901234567891,"all":[-9007199254740993,1e400,1.0,7]}';
    const { value } = parseJson(text);
    assert.ok(value !== null);
    const kept = text.replace('1.0', '1');
    assert.equal(printJson(value), kept);
    assert.equal(JSON.stringify(toPlain(value)), kept);
  });

  test('nesting without end is refused, and a long string is read', () => {
    assert.match(parseJson('['.repeat(100_000)).problem?.message ?? '', /levels/);
    const long = `"${'\\\\A'.repeat(1_000_000)}"`;
    assert.equal(toPlain(parseJson(long).value), JSON.parse(long));
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
