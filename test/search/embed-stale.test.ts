import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { embedStale, type StaleOptions } from '../../src/features/index/embed-stale.ts';
import { indexDocs } from '../../src/features/index/docs.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';
import { defaultOptions, toSource } from '../../src/features/index/source.ts';
import type { PassageEmbedder } from '../../src/features/index/to-document.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { configuration } from '../../src/configuration.ts';
import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { openTestIndex, type TestIndex } from './index-support.ts';

const never = new AbortController().signal;
const silent = { info: () => {}, warn: () => {} };

async function openIndex(t: TestContext, count = 3): Promise<TestIndex> {
  const index = await openTestIndex(t);
  for (let n = 0; n < count; n++)
    await index.put(`http://a/${n}`, { title: `Page ${n}`, text: `The albatross flies ${n} miles.` });
  return index;
}

/** Vectors of two values: how often a text says `albatross`, and its length. */
const other: PassageEmbedder = {
  name: 'other',
  textsAtOnce: 32,
  embedPassages: (passages) =>
    Promise.resolve(
      passages.map(({ text }) => Float32Array.of(text.split('albatross').length - 1, text.length)),
    ),
};

const optionsOf = ({ parts }: TestIndex, over: Partial<StaleOptions> = {}): StaleOptions => ({
  vectors: parts.vectors,
  embedder: other,
  owner: 'test',
  log: silent,
  signal: never,
  ...over,
});

suite('documents with vectors of another engine', () => {
  test('get those of this one, and then nothing is done', async (t) => {
    const index = await openIndex(t);
    assert.equal(await index.parts.vectors.countStale('other'), 3);
    await embedStale(optionsOf(index));
    assert.equal(await index.parts.vectors.countStale('other'), 0);
    assert.equal(await index.parts.vectors.countStale('words'), 3);
    const asked: string[] = [];
    const embedPassages: PassageEmbedder['embedPassages'] = (texts) => {
      asked.push(...texts.map(({ text }) => text));
      return Promise.resolve([]);
    };
    await embedStale(optionsOf(index, { embedder: { ...other, embedPassages } }));
    assert.deepEqual(asked, []);
  });

  test('are whole or as they were, however often it is broken off, and it goes on where it was', async (t) => {
    const index = await openIndex(t, 5);
    let embedded = 0;
    for (let round = 5; round > 0; round--) {
      assert.equal(await index.parts.vectors.countStale('other'), round);
      const aborted = new AbortController();
      const embedPassages: PassageEmbedder['embedPassages'] = (texts, signal) => {
        // The second document of each round is never embedded.
        if (embedded++ % 2 === 1) aborted.abort(new Error('killed'));
        signal.throwIfAborted();
        return other.embedPassages(texts, signal);
      };
      const run = embedStale(
        optionsOf(index, { embedder: { ...other, embedPassages }, signal: aborted.signal }),
      );
      await (round > 1 ? assert.rejects(run, /killed/) : run);
    }
    assert.equal(await index.parts.vectors.countStale('other'), 0);
  });

  test('that cannot be embedded keep no other waiting, and an engine that is busy is asked again', async (t) => {
    const index = await openIndex(t);
    let isBusy = true;
    const warnings: unknown[] = [];
    const embedPassages: PassageEmbedder['embedPassages'] = (texts, signal) => {
      if (isBusy) {
        isBusy = false;
        return Promise.reject(new Fault('service_unavailable', 'busy'));
      }
      if (texts.some(({ title }) => title === 'Page 1'))
        return Promise.reject(new Fault('validation_failed', 'too long'));
      return other.embedPassages(texts, signal);
    };
    const log = { info: () => {}, warn: (...line: unknown[]) => void warnings.push(line) };
    await embedStale(optionsOf(index, { embedder: { ...other, embedPassages }, log, retryMs: 1 }));
    assert.equal(await index.parts.vectors.countStale('other'), 1);
    assert.equal(warnings.length, 1);
  });

  test('are looked at as often in each part of a large index', async (t) => {
    const index = await openIndex(t, 150);
    const { vectors } = index.parts;
    const from: number[] = [];
    const stale: typeof vectors.stale = (name, afterId, countMax) => {
      if (countMax > 1) from.push(afterId);
      return vectors.stale(name, afterId, countMax);
    };
    const watched = {
      stale,
      countStale: (name: string) => vectors.countStale(name),
      passages: (id: number) => vectors.passages(id),
      put: (...given: Parameters<typeof vectors.put>) => vectors.put(...given),
    };
    await embedStale(optionsOf(index, { vectors: watched }));
    assert.equal(await vectors.countStale('other'), 0);
    assert.equal(from.length, 4);
    assert.ok(from.every((afterId, place) => place === 0 || afterId > (from[place - 1] ?? 0)));
  });

  test('are found by their words meanwhile', async (t) => {
    const index = await openIndex(t);
    await index.sayEmbeddedBy('elsewhere');
    assert.equal((await index.urls('albatross')).length, 3);
  });

  test('that change meanwhile keep what they were given', async (t) => {
    const index = await openIndex(t, 1);
    const [document] = await index.parts.vectors.stale('other', 0, 1);
    assert.ok(document);
    await index.put('http://a/0', { title: 'New', text: 'Another text.' });
    await index.parts.vectors.put(document, 'other', [{ id: document.id * 1_024, vector: Uint8Array.of(1) }]);
    assert.equal(await index.parts.vectors.countStale('words'), 0);
  });
});

test('a page of the documentation that did not change keeps its vectors', async (t) => {
  const { parts } = await openTestIndex(t);
  const root = new URL('../../', import.meta.url);
  await indexDocs(parts, { root, base: 'http://a' }, never);
  const [first] = await parts.vectors.stale('other', 0, 1);
  assert.ok(first);
  await parts.vectors.put(first, 'other', []);
  // As after a change of another page.
  const docs = (await parts.sources.list()).find(({ kind }) => kind === 'docs');
  assert.ok(docs);
  await parts.sources.finish(docs.id, 1, JSON.stringify({ version: 'before' }));
  await indexDocs(parts, { root, base: 'http://a' }, never);
  assert.equal(await parts.vectors.countStale('words'), 1);
});

/** A folder of two pages, read with the engine words by a command. */
async function writeIndex(t: TestContext): Promise<{ readonly data: string; readonly env: Variables }> {
  const data = await temporaryFolder(t);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'refund.md'), '# Policy\n\nCustomers get their money back in a week.');
  await writeFile(join(folder, 'bird.md'), '# Bird\n\nThe albatross is back over the sea in a week.');
  const env = { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' };
  const tools = await openIndexTools(configuration.load({ env, cwd: data }));
  const options = JSON.stringify(defaultOptions);
  const source = { id: 's', kind: 'folder', location: folder, options, everyMs: null, addedAtMs: 1 } as const;
  await tools.refresh(toSource(await tools.sources.ensure(source)), never, () => {});
  await tools.close();
  return { data, env };
}

type Variables = Readonly<Record<string, string>>;

test('a server without a configuration embeds with the encoder, and an index of words follows behind', async (t) => {
  const { data, env } = await writeIndex(t);
  const server = await startServer(t, { data, withEncoder: true });
  const reply = await server.post('/v1/embeddings', { model: 'svc-embed-v1-0.6b', input: 'a card' });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('x-nestor-engine'), 'encoder');
  const search = async () => {
    const found = await server.post('/search', { query: 'back in a week: refund of money' });
    const { results } = (await found.json()) as { results: readonly { title: string }[] };
    return results.map(({ title }) => title);
  };
  assert.deepEqual((await search()).toSorted(), ['Bird', 'Policy']);
  await until(() =>
    server.log.some(({ msg }) => msg === 'the index has vectors of the engine of embeddings'),
  );
  assert.equal((await search())[0], 'Policy');
  await server.close();
  const database = await openDatabase(configuration.load({ env, cwd: data }).database, { dataFolder: data });
  t.after(() => database.close());
  const rows = await database.db.selectFrom('corpus_documents').select('embedded_by').execute();
  assert.deepEqual(rows.map(({ embedded_by: by }) => by?.replace(/:.*/, '')), ['encoder', 'encoder']); // prettier-ignore
  const vectors = await database.db.selectFrom('corpus_passages').select('vector').execute();
  assert.deepEqual(vectors.map(({ vector }) => vector?.length), [384, 384]); // prettier-ignore
});
