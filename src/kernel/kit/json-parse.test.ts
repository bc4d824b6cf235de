import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/code-points.ts';
import { scanJson } from './json-scan.ts';
import { hashBytes } from './json-string.ts';
import { isJsonObject, type JsonObject, JsonError } from './json.ts';
import { parseJson } from './json-parse.ts';

const parse = (text: string, depthMax = 64) => parseJson(Buffer.from(text, 'utf8'), { depthMax });

function errorOf(text: string | Uint8Array, depthMax = 64): JsonError {
  try {
    parseJson(typeof text === 'string' ? Buffer.from(text, 'utf8') : text, { depthMax });
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error));
    return error;
  }
  return assert.fail('nothing was thrown');
}

suite('parseJson', () => {
  test('gives what JSON.parse gives, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(parse(text).value, JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('refuses what JSON.parse refuses, for any text that resembles JSON', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '1',
      'a',
      'null',
      ' ',
      '\\u0061',
      '-',
      '.',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) assert.equal(errorOf(text).kind, 'syntax');
      }),
      { numRuns: 3_000 },
    );
  });

  test('names the first duplicate key and the object that holds it', () => {
    const cases: [string, string, string[]][] = [
      ['{"a":1,"a":1}', 'a', []],
      ['{"a":1,"\\u0061":1}', 'a', []],
      ['{"x":[{},{"b":{"c":1,"c":2}}]}', 'c', ['x', '1', 'b']],
      ['{"x":{"k":1,"k":2},"x":1}', 'k', ['x']],
      ['{"__proto__":1,"__proto__":2}', '__proto__', []],
      ['{"":{"":1,"":2}}', '', ['']],
      ['{"\\"":1,"\\u0022":2}', '"', []],
      ['{"a,b":[1,[2,{"z":0,"z":0}]]}', 'z', ['a,b', '1', '1']],
      ['{"a":"{\\"a\\":1}","b":"}","b":2}', 'b', []],
    ];
    for (const [text, key, path] of cases) {
      const { kind, key: found, path: at } = errorOf(text);
      assert.deepEqual([kind, found, at], ['duplicate', key, path], text);
    }
  });

  test('finds a duplicate wherever one is put, and none where there is none', () => {
    const name = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 4 }),
      fc.constantFrom('a', '__proto__', '1', '"', '\\'),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        fc.boolean(),
        (names, at, escape) => {
          const quoted = names.map((one) => JSON.stringify(one));
          const repeated = names[at % names.length] ?? '';
          const spelled = escape
            ? `"${[...Array(repeated.length).keys()].map((index) => `\\u${repeated.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`
            : JSON.stringify(repeated);
          const text = (all: string[]) => `{${all.map((one) => `${one}:{"x":1}`).join(',')}}`;
          assert.deepEqual(Object.keys(parse(text(quoted)).value as object).sort(), [...names].sort());
          assert.equal(errorOf(text([...quoted, spelled])).key, repeated);
        },
      ),
    );
  });

  test('keeps names in the order of the text where JavaScript does not', () => {
    const text = '{"b":1,"10":{"z":1,"2":2,"1":3},"a":[{"3":0,"x":0,"1":0}],"2":0}';
    const { value, keysOf } = parse(text);
    assert.ok(isJsonObject(value));
    assert.deepEqual(keysOf(value), ['b', '10', 'a', '2']);
    assert.deepEqual(keysOf(value['10'] as JsonObject), ['z', '2', '1']);
    assert.deepEqual(keysOf((value['a'] as readonly JsonObject[])[0] as JsonObject), ['3', 'x', '1']);
    const hidden = parse('{"__proto__":{"x":1,"0":2}}');
    const inner = Object.getOwnPropertyDescriptor(hidden.value, '__proto__')?.value as JsonObject;
    assert.deepEqual(hidden.keysOf(inner), ['x', '0']);
  });

  test('tells the order of any object', () => {
    const name = fc.oneof(fc.nat(30).map(String), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 10 }), (names) => {
        const { value, keysOf } = parse(`[{${names.map((one) => `${JSON.stringify(one)}:0`).join(',')}}]`);
        assert.deepEqual(keysOf((value as readonly JsonObject[])[0] as JsonObject), names);
      }),
    );
  });

  test('counts depth from the outermost value and stops there', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    assert.ok(parse(nested(64)));
    assert.equal(errorOf(nested(65)).kind, 'depth');
    assert.equal(errorOf('['.repeat(2_000_000)).kind, 'depth');
    assert.ok(parse('1', 0));
    assert.equal(errorOf('{}', 0).kind, 'depth');
    assert.ok(parse(`["${'['.repeat(1_000)}"]`, 1), 'brackets in text are text');
  });

  test('refuses bytes that are no UTF-8 and a byte-order mark', () => {
    const invalid = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
    for (const bytes of invalid) {
      assert.equal(errorOf(Buffer.from([0x22, ...bytes, 0x22])).kind, 'syntax');
    }
    assert.equal(errorOf('\ufeff{}').kind, 'syntax');
    assert.equal(errorOf('').kind, 'syntax');
    assert.equal(parse('"\\ud800"').value, '\ud800');
  });

  test('syntax is told before duplicates, since a broken text has no keys', () => {
    assert.equal(errorOf('{"a":1,"a":2').kind, 'syntax');
    assert.equal(errorOf('{"a":1,"a":2} x').kind, 'syntax');
  });

  test('a number that float64 cannot hold is refused, since it would come back as null', () => {
    for (const text of ['1e999', '[-1e999]', '{"a":1e400}']) assert.equal(errorOf(text).kind, 'syntax');
    assert.equal(parse('1.7976931348623157e308').value, Number.MAX_VALUE);
  });

  test('a name in escapes is that name, whatever other callers sent before', () => {
    // V8 14.6 (Node 26.10) guesses a name from objects of the same shape, and compares its guess with the letters as
    // they are written: each pair here is a name and one that is written with the same first letters.
    for (const shape of [
      '{"yes":1,"HERE":2}',
      '{"HERE":2}',
      '{"a":{},"b":{},"HERE":{}}',
      '{"last":0,"HERE":1}',
    ]) {
      for (const [guess, escape, name] of [
        ['\\\\', '\\u662f', '\u662f'],
        ['\\\\', '\\n', '\n'],
        ['\\\\', '\\"', '"'],
        ['\\\\', '\\u0041', 'A'],
        ['a\\\\', 'a\\n', 'a\n'],
        ['\\\\n', '\\n\\t', '\n\t'],
        ['\\\\u0', '\\u0041bc', 'Abc'],
      ] as const) {
        const [before, text] = [shape.replace('HERE', guess), shape.replace('HERE', escape)];
        for (let i = 0; i < 3; i++) parse(before);
        assert.equal(Object.keys(parse(text).value as JsonObject).at(-1), name);
        for (let i = 0; i < 3; i++) parse(`[${before},${before}]`);
        for (const object of parse(`[${text},${text}]`).value as readonly JsonObject[]) {
          assert.equal(Object.keys(object).at(-1), name);
        }
      }
    }
  });

  test('a text with names in escapes is read as JSON.parse reads it without them', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify({ '\n': value, more: [value, { '"': value }] }, null, indent);
        assert.equal(JSON.stringify(parse(text).value, null, indent), text);
      }),
      { numRuns: 300 },
    );
  });

  test('a text with names in escapes is refused where JSON.parse refuses it', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\"',
      '1',
      '01',
      '-',
      '1e',
      'true',
      'nul',
      ' ',
      '\t',
      '\u0001',
      '"\\u0061":',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `{"\\n":${pieces.join('')}}`;
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        if (!isValid) assert.equal(errorOf(text).kind, 'syntax');
      }),
      { numRuns: 3_000 },
    );
  });

  test('more items than allowed are refused, values and names alike', () => {
    const refused = (text: string, itemsMax: number) => {
      try {
        parseJson(Buffer.from(text), { depthMax: 64, itemsMax });
        return false;
      } catch (error) {
        return error instanceof JsonError && error.kind === 'size';
      }
    };
    for (const text of ['[1,2,3]', '{"a":1,"b":[]}', '[{},"x",null]', '[[[]],true]', '{"a":{"\\n":"y"}}']) {
      const items = scanJson(Buffer.from(text), { depthMax: 64 }).items;
      assert.deepEqual(
        [items, refused(text, items), refused(text, items - 1)],
        [text.startsWith('{') ? 5 : 4, false, true],
        text,
      );
    }
  });
});

suite('what a scan costs', () => {
  /** How often names were compared, for one object of `count` names. */
  const stepsOf = (count: number, nameOf: (index: number) => string) => {
    const names = Array.from({ length: count }, (_, index) => `${JSON.stringify(nameOf(index))}:0`);
    return scanJson(Buffer.from(`[{${names.join(',')}},{${names.join(',')}}]`), { depthMax: 64 }).steps;
  };
  const meeting = meetingBlocks();
  const shapes: Readonly<Record<string, (index: number) => string>> = {
    ascending: (index) => String(10_000_000 + index),
    descending: (index) => String(90_000_000 - index),
    words: (index) => `name-${Math.imul(index, 2_654_435_761)}`,
    escaped: (index) => `${Math.imul(index, 48_271)}\n`,
    'made to meet': (index) => {
      const bits = (index * 4_099) % 8_192;
      return meeting.map((pair, at) => pair[(bits >> at) & 1]).join('');
    },
    // Names that ascend are not in the table until one that does not ascend puts all of them there.
    'made to meet, ascending': (index) =>
      index % 1_000 === 999
        ? String(index)
        : meeting.map((pair, at) => pair[(index >> (meeting.length - 1 - at)) & 1]).join(''),
  };
  for (const [shape, nameOf] of Object.entries(shapes)) {
    test(`grows as the number of names does: ${shape}`, () => {
      const [few, many] = [stepsOf(1_000, nameOf), stepsOf(8_000, nameOf)];
      assert.ok(many <= 8 * 20 * 1_000 + 2_000, `${few} comparisons of 2,000 names, ${many} of 16,000`);
    });
  }
});

/** 13 pairs of letters: whichever of each pair is taken, the hash of all 13 ends in the same 20 bits. */
function meetingBlocks(): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  let prefix = '';
  while (pairs.length < 13) {
    const seen = new Map<number, string>();
    for (let i = 0; ; i++) {
      const block = i.toString(36).padStart(4, '.');
      const bytes = Buffer.from(prefix + block);
      const end = hashBytes(bytes, 0, bytes.length) & 0xfffff;
      const other = seen.get(end);
      seen.set(end, block);
      if (other === undefined) continue;
      pairs.push([other, block]);
      prefix += block;
      break;
    }
  }
  return pairs;
}
