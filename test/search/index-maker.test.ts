import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { openDocumentMaker } from '../../src/features/index/maker-thread.ts';
import { createDocumentMaker, toEmbedder } from '../../src/features/index/to-document.ts';
import { openWordsEngine } from '../../src/features/embeddings/engines/words/index.ts';
import { PageError } from '../../src/features/search/page.ts';
import { openMaker } from '../../src/features/index/open-index.ts';

const { signal } = new AbortController();
const origin = {
  sourceId: 's',
  url: 'http://a/b',
  hash: 'h',
  etag: null,
  lastModified: null,
  fetchedAtMs: 1,
};
const text = Array.from(
  { length: 40 },
  (_, n) => `## Part ${n}\n\n${`What stands in part ${n} is told here. `.repeat(30)}`,
);
const page = { title: '', text: text.join('\n\n'), language: 'en', date: '2026-01-02', lastUpdated: null };

suite('documents made in a thread', () => {
  test('they are those that this thread would have made, vectors included', async (t) => {
    const engine = await openWordsEngine();
    const maker = openMaker(engine);
    t.after(() => maker.close());
    const expected = await createDocumentMaker(toEmbedder(engine)).toDocument(page, origin, signal);
    assert.ok(expected.passages.length >= 40);
    assert.deepEqual(await maker.toDocument(page, origin, signal), expected);
  });

  test('vectors of an engine elsewhere are asked for from here', async (t) => {
    const { storedDimensions: _, ...words } = await openWordsEngine();
    const engine = { ...words, name: 'elsewhere' };
    const maker = openMaker(engine);
    t.after(() => maker.close());
    const { embeddedBy, passages } = await maker.toDocument(page, origin, signal);
    assert.equal(embeddedBy, 'elsewhere');
    assert.ok(passages.every(({ vector }) => vector?.length === 1_024));
  });

  test('a thread that cannot work fails the page, as one that cannot be read', async (t) => {
    const workerUrl = new URL('./no-such-worker.ts', import.meta.url);
    const maker = openDocumentMaker({ workerUrl, workerData: null, embedder: null });
    t.after(() => maker.close());
    await assert.rejects(
      maker.toDocument(page, origin, signal),
      (error) => error instanceof PageError && error.reason === 'unreadable',
    );
  });

  test('a refresh that is broken off does not wait for its document', async (t) => {
    const maker = openMaker(await openWordsEngine());
    t.after(() => maker.close());
    const aborted = new AbortController();
    const made = maker.toDocument(page, origin, aborted.signal);
    aborted.abort(new Error('broken off'));
    await assert.rejects(made, /broken off/);
  });
});
