import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOf, jsonOrText, listOf, objectOf, objectsOf, textOf } from './json-fields.ts';

test('what has another type counts as absent', () => {
  assert.deepEqual(
    [objectOf({ a: 1 }), objectOf([1]), objectOf(null), objectOf(undefined)],
    [{ a: 1 }, {}, {}, {}],
  );
  assert.deepEqual([listOf([1]), listOf({ length: 1 }), listOf(undefined)], [[1], null, null]);
  assert.deepEqual([objectsOf([{ a: 1 }, 2, null, [3]]), objectsOf({ a: 1 })], [[{ a: 1 }], []]);
  assert.deepEqual([textOf('a'), textOf(1), textOf(undefined)], ['a', '', '']);
  assert.deepEqual([countOf(2), countOf(0), countOf(1.5), countOf('2')], [2, null, null, null]);
});

test('a text that is no JSON stays as it is', () => {
  assert.deepEqual(
    [jsonOrText('{"a":1}'), jsonOrText('"a"'), jsonOrText('{a'), jsonOrText('')],
    [{ a: 1 }, 'a', '{a', ''],
  );
});
