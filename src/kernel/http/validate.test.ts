import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Type, type TSchema } from 'typebox';
import type { Operation } from './operation.ts';
import { codePoint } from '../../../test/support/code-points.ts';
import { operations } from '../../../test/support/operations.ts';
import { roundsOf } from '../../../test/support/rounds.ts';
import { described, Dictionary, named, Nullable, withErrors } from '../kit/schema.ts';
import { createValidator, type Problem } from './validate.ts';
import { settings } from '../../../test/support/settings.ts';

const list: readonly Operation<never>[] = operations(settings);

const told = (schema: TSchema, value: unknown): [Problem['kind'], string] | null => {
  const validator = createValidator(schema);
  const problem = validator.explain(value);
  assert.equal(validator.check(value), problem === null, 'check and explain agree');
  return problem && [problem.kind, problem.path.join('.')];
};

/** Values that our schemas speak of, mixed with others, as JSON would give them. */
const leaf = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    1e308,
    '',
    ' ',
    'x',
    'noul',
    'choice',
    'score',
    'predicate',
    'user',
    'input_text',
    'svc-decider-v1-27b',
    'message',
  ),
  fc.string({ unit: codePoint, maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const name = fc.oneof(
  fc.constantFrom(
    'model',
    'state',
    'input',
    'questions',
    'type',
    'instructions',
    'criteria',
    'true',
    'false',
    'role',
    'content',
    'text',
    'choices',
    'levels',
    'value',
    'label',
    'description',
    'call_id',
    '__proto__',
    '',
    '1',
  ),
  fc.string({ maxLength: 2 }),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
}));

/** A value of which every part was made for the schema, so that most are nearly valid. */
function valueFor(schema: TSchema): fc.Arbitrary<unknown> {
  const node = schema as Record<string, unknown>;
  if ('const' in node) return fc.constant(node['const']);
  if (Array.isArray(node['anyOf'])) return fc.oneof(...(node['anyOf'] as TSchema[]).map(maybe));
  switch (node['type']) {
    case 'string':
      return fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom('svc-decider-v1-27b', 'x', '2026-01-31T12:00:00Z', '2026-02-30T12:00:00Z'),
      );
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'integer':
      return fc.integer();
    case 'array':
      return fc.array(maybe(node['items'] ?? {}), { maxLength: 4 });
    case 'object': {
      const declared = Object.entries((node['properties'] ?? {}) as Record<string, TSchema>).map(
        ([key, inner]) =>
          fc.oneof(
            { weight: 9, arbitrary: maybe(inner).map((value) => [[key, value]] as [string, unknown][]) },
            { weight: 1, arbitrary: fc.constant([] as [string, unknown][]) },
          ),
      );
      const more =
        typeof node['additionalProperties'] === 'object'
          ? fc.array(fc.tuple(name, maybe(node['additionalProperties'] as TSchema)), { maxLength: 3 })
          : fc.constant([]);
      return fc
        .tuple(fc.tuple(...declared), more)
        .map(([own, others]) => Object.fromEntries([...own.flat(), ...others]));
    }
    default:
      return fc.oneof(fc.constant('svc-decider-v1-27b'), leaf);
  }
}
function maybe(schema: TSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.constant(null).chain(() => valueFor(schema)) },
    { weight: 1, arbitrary: anyValue },
  );
}

suite('explain agrees with check', () => {
  const schemas = list.flatMap(({ id, body, responses }) => [
    ...(body?.schema ? [[`request of ${id}`, body.schema] as const] : []),
    ...Object.entries(responses).map(([status, schema]) => [`${status} of ${id}`, schema] as const),
  ]);

  for (const [about, schema] of schemas) {
    test(`on any value, ${about}`, () => {
      const validator = createValidator(schema);
      fc.assert(
        fc.property(
          fc.oneof({ weight: 3, arbitrary: valueFor(schema) }, { weight: 1, arbitrary: anyValue }),
          (value) => {
            const passes = validator.check(value);
            assert.equal(validator.explain(value) === null, passes);
          },
        ),
        { numRuns: roundsOf(50, 400) },
      );
    });
  }

  test('no schema of an operation has names by pattern, which explain does not walk', () => {
    for (const [about, schema] of schemas)
      assert.ok(!JSON.stringify(schema).includes('"patternProperties"'), about);
  });

  test('on text with letters of several code points, counted as JSON Schema counts', () => {
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
    for (const [text, length] of [
      [family, 5],
      ['e\u0301', 2],
      ['\u{1f600}', 1],
      ['\ud800', 1],
      ['abc', 3],
    ] as const) {
      assert.equal(
        told(Type.String({ minLength: length, maxLength: length }), text),
        null,
        `${text} is ${length} long`,
      );
      assert.deepEqual(told(Type.String({ maxLength: length - 1 }), text), ['too_long', '']);
    }
  });

  test('on numbers that JSON text can hold and float64 cannot', () => {
    const infinite = JSON.parse('1e999') as number;
    for (const schema of [
      Type.Number(),
      Type.Integer(),
      Type.Number({ minimum: 0 }),
      Type.Union([Type.Number(), Type.Null()]),
    ]) {
      assert.equal(told(schema, infinite)?.[1], '');
    }
  });
});

suite('explain', () => {
  const schema = Type.Object(
    {
      a: Type.String({ minLength: 2 }),
      b: Nullable(Type.Integer({ minimum: 1, maximum: 5 })),
      c: Type.Array(Type.Union([Type.Literal('x'), Type.Literal('y')]), { maxItems: 2 }),
      d: Type.Optional(
        Dictionary(Type.Boolean(), { propertyNames: Type.String({ minLength: 1 }), minProperties: 1 }),
      ),
    },
    { additionalProperties: false },
  );
  const good = { a: 'ab', c: [] };

  test('tells the first problem: unknown fields, then declared ones in order', () => {
    assert.equal(told(schema, good), null);
    const cases: [unknown, Problem['kind'], string][] = [
      [null, 'type', ''],
      [[], 'type', ''],
      [{ ...good, a: 1, z: 1 }, 'unknown', 'z'],
      [{ c: 1 }, 'missing', 'a'],
      [{ a: 'a', b: 9, c: 1 }, 'too_short', 'a'],
      [{ ...good, b: 0 }, 'too_small', 'b'],
      [{ ...good, b: 6 }, 'too_large', 'b'],
      [{ ...good, b: 1.5 }, 'type', 'b'],
      [{ ...good, c: ['x', 'z'] }, 'enum', 'c.1'],
      [{ ...good, c: ['x', 'x', 'x'] }, 'too_long', 'c'],
      [{ ...good, d: {} }, 'too_short', 'd'],
      [{ ...good, d: { '': true } }, 'too_short', 'd'],
      [{ ...good, d: { k: 1 } }, 'type', 'd.k'],
    ];
    for (const [value, kind, path] of cases)
      assert.deepEqual(told(schema, value), [kind, path], JSON.stringify(value));
  });

  test('chooses the member of a union by its tag', () => {
    const union = Type.Union([
      Type.Object({ type: Type.Literal('a'), n: Type.Number() }),
      Type.Object({ type: Type.Literal('b'), s: Type.String() }),
    ]);
    assert.deepEqual(told(union, { type: 'b', s: 1 }), ['type', 's']);
    assert.deepEqual(told(union, { type: 'a' }), ['missing', 'n']);
    assert.deepEqual(told(union, { type: 'c' }), ['discriminator', 'type']);
    assert.deepEqual(told(union, {}), ['discriminator', 'type']);
    // What has no text of its own cannot be made one.
    assert.deepEqual(told(union, { type: { toString: null } }), ['discriminator', 'type']);
    assert.deepEqual(told(union, { type: [Object.create(null)] }), ['discriminator', 'type']);
    assert.deepEqual(told(union, 1), ['type', '']);
  });

  test('follows the order of the text where JavaScript does not', () => {
    const validator = createValidator(Dictionary(Type.Boolean()));
    const problem = validator.explain({ 2: 1, 10: 1 }, () => ['10', '2']);
    assert.deepEqual(problem?.path, ['10']);
  });

  test('gives the message and code that the schema chose; a code covers what lies below', () => {
    const coded = Type.Object({
      q: withErrors(Type.Object({ n: Type.Number({ errorMessage: 'n it is' }) }), {
        errorCode: 'invalid_question',
      }),
    });
    const validator = createValidator(coded);
    const { message, code } = validator.explain({ q: { n: 'x' } }) ?? {};
    assert.deepEqual([message, code], ['n it is', 'invalid_question']);
    assert.equal(validator.explain({})?.code, 'invalid_question');
    assert.equal(validator.explain(1)?.code, undefined);
  });

  test('a rule is told with its own words after the fields are fine', () => {
    const ruled = Type.Refine(
      Type.Object({ a: Type.Number() }),
      ({ a }) => a > 0,
      () => 'a must be positive',
    );
    const validator = createValidator(ruled);
    assert.equal(validator.explain({ a: -1 })?.message, 'a must be positive');
    assert.deepEqual(told(ruled, { a: 'x' }), ['type', 'a']);
    assert.equal(told(ruled, { a: 1 }), null);
  });
});

/** Words for the published description. */
const fields = {
  even: Type.Refine(Type.Integer(), (value) => value % 2 === 0, () => 'is odd'), // prettier-ignore
  text: Nullable(Type.String({ maxLength: 3 }), { errorMessage: 'text is too long' }),
};

test('words change nothing that a schema accepts, requires or answers', () => {
  const meanings = { even: 'An even number.', text: 'A short text.' };
  const plain = createValidator(Type.Object(fields));
  const told = createValidator(named('Shape', Type.Object(described(fields, meanings)), 'A shape.'));
  for (const value of [{ even: 2 }, { even: 3 }, {}, { even: 2, text: null }, { even: 2, text: 'long' }, 1]) {
    assert.equal(told.check(value), plain.check(value), JSON.stringify(value));
    const [of, by] = [plain.explain(value), told.explain(value)];
    assert.deepEqual([by?.kind, by?.message, by?.path], [of?.kind, of?.message, of?.path]);
  }
});

test('the words stand in the schema, and the fields that are told about are left as they were', () => {
  const { even, text } = described(fields, { even: 'An even number.' });
  assert.equal((even as { readonly description?: string }).description, 'An even number.');
  assert.equal(text, fields.text);
  assert.ok(!('description' in fields.even));
});
