import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseWritten } from '../../../../kernel/kit/json-parse.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import { literal, printGrammar } from './gbnf.ts';
import { toJsonGrammar } from './json-grammar.ts';

const isExact = (schema: Json) => toJsonGrammar(schema, 'x').exact;

suite('schemas as grammars', () => {
  test('say where they allow more than the schema', () => {
    const loose: readonly Json[] = [
      { type: 'string', pattern: '^a' },
      { type: 'string', format: 'email' },
      { type: 'number', minimum: 1 },
      { type: 'integer', minimum: 0, maximum: 9 },
      { type: 'array', items: {}, uniqueItems: true },
      { type: 'object', properties: {}, minProperties: 2 },
      { not: { type: 'string' } },
      { oneOf: [{ type: 'string' }, { type: 'string', maxLength: 3 }] },
      { type: 'string', maxLength: 100_000 },
      {
        allOf: [
          { type: 'string', maxLength: 5 },
          { minLength: 2, maxLength: 9 },
        ],
      },
      { anyOf: [] },
      { $ref: '#/nowhere' },
      { $ref: '#/$defs/a', minLength: 2, $defs: { a: { type: 'string' } } },
      { type: 'string', enum: [] },
      false,
    ];
    for (const schema of loose) assert.equal(isExact(schema), false, JSON.stringify(schema));
  });

  test('are exact for what strict schemas are made of', () => {
    const strict: readonly Json[] = [
      {},
      true,
      { title: 'T', description: 'D', type: 'string' },
      { type: 'integer', minimum: 0 },
      { oneOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string', maxLength: 3 }, { const: 'abcd' }] },
      { properties: { a: { items: { enum: [1, 2] } } } },
      { $ref: '#/definitions/a~1b', definitions: { 'a/b': { type: 'boolean' } } },
    ];
    for (const schema of strict) assert.equal(isExact(schema), true, JSON.stringify(schema));
  });

  test('name every rule that they use, and end no rule in an alternative without characters', () => {
    const node = { type: 'object', properties: { a: { type: 'string' }, next: { $ref: '#/$defs/node' } } };
    const { root, rules } = toJsonGrammar(
      { $defs: { node }, type: 'array', items: { $ref: '#/$defs/node' } },
      'x',
    );
    for (const body of rules.values()) {
      assert.doesNotMatch(body, /\|\s*$/);
      const bare = body.replaceAll(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]/g, ' ');
      for (const [name] of bare.matchAll(/[a-z][\w-]*/g)) assert.ok(rules.has(name), name);
    }
    assert.match(printGrammar(root, rules), /^root ::= x-\d+-root\n/);
  });

  test('stay of bounded size', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`p${i}`, { type: 'string', maxLength: 3 }]),
    );
    const { root, exact } = toJsonGrammar({ type: 'object', properties: wide }, 'x');
    assert.deepEqual([root, exact], ['value', false]);
    let deep: Json = { type: 'boolean' };
    for (let i = 0; i < 500; i++) deep = { type: 'array', items: deep };
    assert.equal(toJsonGrammar(deep, 'x').root, 'value');
  });

  test('are any JSON where an answer could stand at ever more places at once', () => {
    const list = (more: Json) => ({ type: 'array', items: { $ref: '#' }, ...(more as object) });
    assert.equal(toJsonGrammar({ anyOf: [list({}), list({ maxItems: 5 })] }, 'x').root, 'value');
    const twice = (inner: Json): Json => ({
      anyOf: [
        { type: 'array', items: inner },
        { type: 'array', items: inner, maxItems: 5 },
      ],
    });
    let nested: Json = { type: 'boolean' };
    for (let i = 0; i < 8; i++) nested = twice(nested);
    assert.equal(toJsonGrammar(nested, 'x').root, 'value');
    // What differs in its first property stays what it is, also inside itself.
    const kind = (name: string): Json => ({
      type: 'object',
      properties: { kind: { const: name }, of: { $ref: '#' } },
      required: ['kind', 'of'],
    });
    assert.equal(isExact({ anyOf: [kind('not'), kind('neg'), { type: 'boolean' }] }), true);
    assert.equal(isExact({ anyOf: [list({}), { type: 'string' }, { type: 'null' }] }), true);
  });

  test('have integers beyond 2^53 with every digit', () => {
    const schema = parseWritten('{"anyOf":[{"const":12345678901234567890},{"enum":[1,-9007199254740993]}]}');
    const text = [...toJsonGrammar(schema, 'x').rules.values()].join(' ');
    assert.match(text, /"12345678901234567890"/);
    assert.match(text, /"-9007199254740993"/);
  });

  test('quote what a grammar would read', () => {
    assert.equal(literal('a"b\\c\nd\u0001é🙂'), String.raw`"a\"b\\c\nd\x01é🙂"`);
  });
});
