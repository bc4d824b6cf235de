import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeState, isMoving, type Source } from './source.ts';

const source: Source = {
  id: 'a',
  kind: 'folder',
  location: 'documents',
  every: null,
  documents: 3,
  refreshed_at: null,
  state: 'running',
  error: null,
  progress: { done: 2, total: 5, failed: 1 },
};

test('a source that is being read tells how far it is', () => {
  assert.equal(describeState(source), 'is being read: 2 of 5, 1 failed');
  assert.equal(describeState({ ...source, progress: null }), 'is being read');
  assert.ok(isMoving(source));
});

test('a source that failed tells why', () => {
  assert.equal(
    describeState({ ...source, state: 'failed', error: 'no such folder' }),
    'failed: no such folder',
  );
  assert.equal(
    describeState({ ...source, state: 'set_aside', error: 'The process ended twice.' }),
    'set aside: The process ended twice.',
  );
  assert.ok(!isMoving({ ...source, state: 'failed' }));
});
