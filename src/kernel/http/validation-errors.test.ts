import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type TSchema } from 'typebox';
import { createValidator } from './validate.ts';
import { problemToFault } from './validation-errors.ts';

const text = Type.String();
const choice = Type.Union([Type.Literal('auto'), Type.Literal('none')]);
const named = Type.Object({ name: text });

function messageOf(surface: 'router' | 'search', schema: TSchema, value: unknown = 7): string {
  const { explain } = createValidator(Type.Object({ it: schema }));
  return problemToFault(surface, explain({ it: value })).message;
}

test('what a field may be is told by its types, also where it may be of several', () => {
  const cases: readonly (readonly [TSchema, string, string])[] = [
    [text, 'it must be a string', 'it: Input should be a valid string'],
    [Type.Union([text, Type.Null()]), 'it must be a string or null', 'it: Input should be a valid string'],
    [
      Type.Union([text, Type.Array(text)]),
      'it must be a string or array',
      'it: Input should be a valid string or list',
    ],
    [
      Type.Union([Type.Union([choice, named]), Type.Null()]),
      'it must be a string or object or null',
      'it: Input should be a valid string or dictionary',
    ],
  ];
  for (const [schema, told, toldThere] of cases)
    assert.deepEqual([messageOf('router', schema), messageOf('search', schema)], [told, toldThere]);
});

test('the values that a field or a tag may have are told', () => {
  const kinds = Type.Union(['a', 'b'].map((kind) => Type.Object({ kind: Type.Literal(kind) })));
  for (const [schema, value, told] of [
    [choice, 'all', 'it is not one of the permitted values: auto, none'],
    [Type.Enum(['a', 'b']), 7, 'it is not one of the permitted values: a, b'],
    [kinds, { kind: 'c' }, 'kind is not one of the permitted values: a, b'],
    [kinds, {}, 'kind is not one of the permitted values: a, b'],
  ] as const)
    assert.equal(messageOf('router', schema, value), told);
});
