import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startServer } from '../support/server.ts';

const server = await startServer({ after });

test('pages of the guide and the reference are Markdown that anybody may read', async () => {
  for (const [path, text] of [
    ['/docs/guide/keys', /^# Keys and tokens/],
    ['/docs/README', /^# Nestor/],
    ['/docs/reference/index', /^# Reference/],
    ['/docs/reference/agent', /^# Agent reference/],
  ] as const) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(await response.text(), text);
  }
});

test('nothing else of the disk can be read', async () => {
  for (const path of [
    '/docs/guide/nothing',
    '/docs/..%2fpackage',
    '/docs/reference/..%2fguide%2fkeys',
    '/docs/reference/..%2f..%2fpackage',
    '/docs/reference/nothing',
    '/docs/reference/agent.md',
    '/docs/guide/keys.md',
    '/docs/guide/a%00b',
  ]) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 404, path);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  }
});
