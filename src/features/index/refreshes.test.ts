import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Fault } from '../../kernel/faults.ts';
import { Refreshes } from './refreshes.ts';
import { defaultOptions, type Outcome, type Progress, type Source } from './source.ts';

const outcome: Outcome = {
  added: 1,
  changed: 0,
  unchanged: 0,
  removed: 0,
  duplicates: 0,
  failed: 0,
  failures: [],
};

function sourceOf(id: string, depth: number | null = null): Source {
  return {
    id,
    kind: 'folder',
    location: `/${id}`,
    options: { ...defaultOptions, depth },
    everyMs: null,
    accountId: '',
  };
}

interface Call {
  readonly source: Source;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly end: (outcome: Outcome | null) => void;
  readonly fail: (error: unknown) => void;
}

/** Refreshes that end when the test says so, or when they are stopped. */
function open(): {
  readonly refreshes: Refreshes;
  readonly calls: readonly Call[];
  readonly failed: string[];
} {
  const calls: Call[] = [];
  const failed: string[] = [];
  const refreshes = new Refreshes({
    refresh: (source, signal, onProgress) =>
      new Promise((end, fail) => {
        signal.addEventListener('abort', () => {
          fail(signal.reason as Error);
        });
        calls.push({ source, signal, onProgress, end, fail });
      }),
    onFailed: async ({ id }) => void failed.push(id),
    clock: { now: () => 5, monotonic: () => 5 },
    log: { info: () => {}, warn: () => {} },
  });
  return { refreshes, calls, failed };
}

const statesOf = (refreshes: Refreshes) =>
  Object.fromEntries([...refreshes.states()].map(([id, { state }]) => [id, state]));
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('three are read at once, the others wait their turn', async () => {
  const { refreshes, calls } = open();
  for (const id of ['a', 'b', 'c', 'd', 'd']) refreshes.begin(sourceOf(id));
  assert.deepEqual(statesOf(refreshes), { a: 'running', b: 'running', c: 'running', d: 'queued' });
  calls[0]?.onProgress({ done: 2, total: 5, failed: 1 });
  const told = refreshes.states().get('a');
  assert.deepEqual(told, { state: 'running', progress: { done: 2, total: 5, failed: 1 } });
  calls[1]?.end(outcome);
  await settle();
  assert.deepEqual(statesOf(refreshes), { a: 'running', c: 'running', d: 'running' });
  await refreshes.close();
  assert.deepEqual(statesOf(refreshes), {});
  assert.equal(calls.length, 4);
});

test('a source that is being read is read again only for other options, the last that were given', async () => {
  const { refreshes, calls } = open();
  refreshes.begin(sourceOf('a'));
  refreshes.begin(sourceOf('a'));
  calls[0]?.end(outcome);
  await settle();
  assert.equal(calls.length, 1);
  refreshes.begin(sourceOf('a', 1));
  refreshes.begin(sourceOf('a', 2));
  refreshes.begin(sourceOf('a', 3));
  calls[1]?.end(outcome);
  await settle();
  calls[2]?.end(outcome);
  await settle();
  assert.deepEqual(
    calls.map(({ source }) => source.options.depth),
    [null, 1, 3],
  );
  assert.deepEqual(statesOf(refreshes), {});
});

test('texts that were sent while others were read have a turn of their own', async () => {
  const { refreshes, calls } = open();
  const texts: Source = { ...sourceOf('t'), kind: 'texts' };
  for (let n = 0; n < 3; n++) refreshes.begin(texts);
  calls[0]?.end(outcome);
  await settle();
  calls[1]?.end(outcome);
  await settle();
  assert.equal(calls.length, 2);
  assert.deepEqual(statesOf(refreshes), {});
});

test('a failure is told in public words until the next beginning, and has another turn', async () => {
  const { refreshes, calls, failed } = open();
  refreshes.begin(sourceOf('a'));
  refreshes.begin(sourceOf('b'));
  calls[0]?.fail(new Fault('not_found', 'The folder cannot be read.', { cause: new Error('secret') }));
  calls[1]?.fail(new Error('secret'));
  await settle();
  assert.deepEqual(
    [...refreshes.states()],
    [
      ['a', { state: 'failed', error: 'The folder cannot be read.', atMs: 5 }],
      ['b', { state: 'failed', error: 'It could not be read.', atMs: 5 }],
    ],
  );
  assert.deepEqual(failed, ['a', 'b']);
  refreshes.begin(sourceOf('a'));
  assert.deepEqual(statesOf(refreshes), { a: 'running', b: 'failed' });
  calls[2]?.end(null);
  await settle();
  assert.deepEqual(statesOf(refreshes), { b: 'failed' });
});

test('what is stopped ends before stop resolves, is no failure, and is not read again', async () => {
  const { refreshes, calls, failed } = open();
  refreshes.begin(sourceOf('a'));
  refreshes.begin(sourceOf('a', 1));
  await refreshes.stop('a');
  assert.equal(calls[0]?.signal.aborted, true);
  assert.deepEqual([statesOf(refreshes), calls.length, failed], [{}, 1, []]);
  await refreshes.close();
  assert.throws(() => {
    refreshes.begin(sourceOf('b'));
  }, Fault);
});
