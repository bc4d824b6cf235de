import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutChatModel, readChatModels, takesEffort } from './chat-models.ts';

const documentOf = (description: string) => ({
  paths: {
    '/chat/completions': {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { properties: { model: { description } } } } },
        },
      },
    },
  },
});

test('models are named as the server has them, whatever its family is called', () => {
  const description = 'One of: acme, sonar, acme-pro, sonar-pro, acme-deep-research, sonar-deep-research';
  assert.deepEqual(readChatModels(documentOf(description)), ['acme', 'acme-pro', 'acme-deep-research']);
});

test('a document without them has none', () => {
  for (const one of [null, {}, { paths: [] }, documentOf('')]) assert.deepEqual(readChatModels(one), []);
});

test('what a model does goes by the end of its name', () => {
  assert.match(aboutChatModel('acme-deep-research'), /report/);
  assert.equal(takesEffort('acme-deep-research'), true);
  assert.equal(takesEffort('acme-reasoning-pro'), false);
});
