import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, listAt, numberAt, textAt } from './json-path.ts';

test('a path leads to own values only, and nowhere without an error', () => {
  const value = { a: [{ b: 'text', n: 0 }], text: 'x' };
  assert.equal(at(value, 'a', 0, 'b'), 'text');
  assert.equal(at(value), value);
  for (const path of [['toString'], ['a', 'length'], ['a', 1], ['text', 0], ['text', 'length'], ['x', 'y']])
    assert.equal(at(value, ...path), undefined, path.join('.'));
  assert.equal(at(undefined, 'a'), undefined);
  assert.equal(at(null, 'a'), undefined);
});

test('a value of another kind is absent', () => {
  const value = { text: 'x', number: 0, list: [1] };
  assert.deepEqual([textAt(value, 'text'), textAt(value, 'number')], ['x', null]);
  assert.deepEqual([numberAt(value, 'number'), numberAt(value, 'text')], [0, null]);
  assert.deepEqual([listAt(value, 'list'), listAt(value, 'text'), listAt(value, 'x')], [[1], [], []]);
});
