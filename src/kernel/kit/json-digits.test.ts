import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { withDigits } from './json-digits.ts';
import { parseJson, parseWritten } from './json-parse.ts';
import { scanJson } from './json-scan.ts';
import type { Json } from './json.ts';

const limits = { depthMax: 64 };
const digits = '12345678901234567890';
const signal = new AbortController().signal;

/** What is written of a text that was read and kept its digits. */
async function rewrite(text: string): Promise<string> {
  const { value, keepDigits } = parseJson(Buffer.from(text), limits);
  await keepDigits?.(signal);
  return JSON.stringify(value);
}

const notesOf = (text: string) => scanJson(Buffer.from(text), limits).integers;

suite('integers of a text', () => {
  test('are written as they came, wherever they stand', async () => {
    for (const text of [
      '{"a":12345678901234567890}',
      '[[],[9007199254740993,[-9007199254740993]],{"b":[{"c":18446744073709551615}],"d":9999999999999999}]',
      '{"__proto__":99999999999999999999,"x":{"__proto__":{"y":[99999999999999999999]}}}',
      '{"toJSON":12345678901234567890,"b":{"toJSON":1,"c":98765432109876543210,"d":12345678901234567890}}',
      '{"\\n":{"\\"":12345678901234567890},"是":[12345678901234567890]}',
      '{"a,[{\\\\":{"9":12345678901234567890,"z":"]}"},"e":[{"f":1},12345678901234567890]}',
    ]) {
      assert.notEqual(notesOf(text), null);
      assert.equal(await rewrite(text), text);
    }
  });

  test('any structure keeps all of them', async () => {
    const { value: shape } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map((one) => `#${one}#`),
        fc.string(),
        fc.constantFrom(null, true, 0.5, 17, 1e300),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
      ) as fc.Arbitrary<Json>,
    }));
    await fc.assert(
      fc.asyncProperty(shape, async (value) => {
        const text = JSON.stringify({ value }).replaceAll(/"#(?<digits>-?\d+)#"/g, '$<digits>');
        assert.equal(await rewrite(text), text);
        assert.equal(JSON.stringify(parseWritten(text)), text);
      }),
      { numRuns: 300 },
    );
  });

  test('that a double holds are not noted, nor are other numbers', () => {
    for (const text of ['[1700000000000000,-1700000000000000,8999999999999999]', '[0.12345678901234567890]'])
      assert.equal(notesOf(text), null);
    for (const text of ['["12345678901234567890"]', '[1234567890123456789e2,12345678901234567890.5]', '1'])
      assert.equal(notesOf(text), null);
  });

  test('stay numbers for whoever reads them, and are unseen in the objects that hold them', async () => {
    const { value, keepDigits } = parseJson(Buffer.from(`{"a":${digits},"b":[1]}`), limits);
    await keepDigits?.(signal);
    assert.deepEqual(value, { a: Number(digits), b: [1] });
    assert.deepEqual(Object.keys(value as object), ['a', 'b']);
    assert.equal(
      JSON.stringify({ ...withDigits(value as object as Json & object), c: 1 }),
      '{"a":12345678901234567890,"b":[1],"c":1}',
    );
    assert.equal(withDigits('text'), 'text');
  });

  test('are noted with places that grow as the text does, however deep it is', () => {
    const nested = (count: number) =>
      `${'{"a":'.repeat(60)}[${Array.from({ length: count }, () => '{"id":12345678901234567890}').join(',')}]${'}'.repeat(60)}`;
    const [few, many] = [nested(1_000), nested(8_000)].map((text) => notesOf(text)?.length ?? 0) as [
      number,
      number,
    ];
    assert.ok(many < few * 8.5, `${few} and ${many}`);
  });
});
