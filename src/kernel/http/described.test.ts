import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { createValidator } from './validate.ts';
import { Nullable } from '../kit/schema.ts';
import { described, named } from './described.ts';

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
