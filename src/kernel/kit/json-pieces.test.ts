import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { cutJson, readPieces, type JsonPieces } from './json-pieces.ts';
import type { Json } from './json.ts';

/** The value of a text as it is read in pieces, and how many there were. */
function read(text: string, isEscaped = false): { readonly value: Json; readonly steps: number } {
  const bytes = Buffer.from(text);
  const pieces = cutJson(bytes);
  assert.ok(pieces !== null, 'nothing was cut');
  const reading = readPieces(bytes, pieces, isEscaped);
  for (let steps = 0; ; steps++) {
    const step = reading.next();
    if (step.done === true) return { value: step.value, steps };
  }
}

function longestOf({ parts }: JsonPieces): number {
  return Math.max(
    ...parts.map((part) => {
      if ('start' in part) return part.end - part.start;
      return typeof part.value === 'string' ? 0 : longestOf(part.value);
    }),
  );
}

suite('a text that is read in pieces', () => {
  const long = 'x'.repeat(1_200_000);
  const many = (item: string) => `[${`${item},`.repeat(20_000)}0]`;
  const shapes: Readonly<Record<string, string>> = {
    'a list of objects': many('{"a":[1,{"b":null}],"c":"]}\\""}'),
    'a list in objects': `{"a":{"b":${many('{}')},"c":1},"d":[ ${many(' true ')} , -1.5e3 ]}`,
    'one wide object': `{${Array.from({ length: 20_000 }, (_, index) => `"${(index * 7_919) % 20_011}" : ${index}`).join(' , ')}}`,
    'long strings': `{"a":"${long}","__proto__":["\\u662f${long}",{"b":"${long}"}],"z":"x"}`,
    'a name that is no name': `{"__proto__":${many('{"__proto__":[]}')},"x":1,"10":2,"2":3}`,
    'letters of four bytes': many('"\u{1F600}是"'),
  };
  for (const [name, text] of Object.entries(shapes)) {
    test(`is what it is in one: ${name}`, () => {
      const { value } = read(text);
      assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(text)));
    });
  }

  test('is what it is in one, for any parts', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1, maxLength: 5 }), (parts) => {
        const value = parts.flatMap((part) => [part, Array.from({ length: 1_500 }, () => [part, { part }])]);
        const text = JSON.stringify({ value, parts });
        assert.equal(JSON.stringify(read(text).value), text);
      }),
      { numRuns: 20 },
    );
  });

  test('keeps names that are written with escapes', () => {
    const text = JSON.stringify({
      '\n': Array.from({ length: 10_000 }, (_, at) => ({ [`\t${at}`]: at, '"': 1 })),
    });
    assert.equal(JSON.stringify(read(text, true).value), text);
  });

  test('has pieces of at most two megabytes, as many as it is long', () => {
    const text = (count: number) =>
      `[${Array.from({ length: count }, () => `["${'y'.repeat(1_000)}"]`).join(',')}]`;
    const counts = [4_000, 16_000].map((count) => {
      const pieces = cutJson(Buffer.from(text(count)));
      assert.ok(pieces !== null && longestOf(pieces) < 2_097_152);
      return read(text(count)).steps;
    }) as [number, number];
    assert.ok(counts[1] >= counts[0] * 3.5 && counts[1] <= counts[0] * 4.5, counts.join());
  });

  test('is left in one where it is small', () => {
    for (const text of ['{"a":[1,2,3]}', '17', '"text"', '[]'])
      assert.equal(cutJson(Buffer.from(text)), null);
  });
});
