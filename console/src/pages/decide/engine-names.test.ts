import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { toEngineNames } from './engine-names.ts';

suite('the names of engines', () => {
  test('come from the description or the list of the published operation', () => {
    assert.deepEqual(toEngineNames(withModel({ description: 'One of: a, b-2' }), []), ['a', 'b-2']);
    assert.deepEqual(toEngineNames(withModel({ enum: ['c', 'd'], description: 'One of: a' }), []), [
      'c',
      'd',
    ]);
  });

  test('without them the name of the interface is left', () => {
    for (const openapi of [
      null,
      {},
      withModel({}),
      withModel({ description: 'Any.' }),
      withModel({ enum: [] }),
    ])
      assert.deepEqual(toEngineNames(openapi, []), ['svc-decider-v1-27b']);
  });

  test('deciders of the account come after what is published, once', () => {
    const published = withModel({ enum: ['a', 'b'] });
    assert.deepEqual(toEngineNames(published, [{ name: 'b' }, { name: 'mine' }]), ['a', 'b', 'mine']);
  });
});

function withModel(model: unknown): unknown {
  const schema = { properties: { model } };
  const requestBody = { content: { 'application/json': { schema } } };
  return { paths: { '/v1/decisions': { post: { requestBody } } } };
}
