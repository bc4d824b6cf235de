import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permittedModels } from './permitted-models.ts';

const openapiWith = (model: unknown) => ({
  paths: {
    '/x': {
      post: { requestBody: { content: { 'application/json': { schema: { properties: { model } } } } } },
    },
  },
});

test('names are read from the list or the sentence that the server publishes', () => {
  assert.deepEqual(permittedModels(openapiWith({ description: 'One of: a, b' }), '/x'), ['a', 'b']);
  assert.deepEqual(permittedModels(openapiWith({ enum: ['a', 'b'] }), '/x'), ['a', 'b']);
});

test('a server that tells nothing has no names', () => {
  for (const openapi of [null, {}, openapiWith({}), openapiWith({ description: 'Any.' })])
    assert.deepEqual(permittedModels(openapi, '/x'), []);
  assert.deepEqual(permittedModels(openapiWith({ enum: ['a'] }), '/y'), []);
});
