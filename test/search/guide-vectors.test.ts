import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, suite, test } from 'node:test';
import { openEncoderEngine } from '../../src/features/embeddings/engines/encoder/index.ts';
import { docsPassages, indexDocs } from '../../src/features/index/docs.ts';
import {
  passageKey,
  readShippedVectors,
  shippedVectorsFile,
  withShippedVectors,
  writeShippedVectors,
} from '../../src/features/index/shipped-vectors.ts';
import { toEmbedder, toStoredVector, type PassageEmbedder } from '../../src/features/index/to-document.ts';
import type { PassageText } from '../../src/features/index/windows.ts';
import { holdEncoder } from '../support/held-encoder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openTestIndex } from './index-support.ts';
import { assertMadeBy } from './made-vectors.ts';

const { signal } = new AbortController();
const engine = await openEncoderEngine(holdEncoder());
const embedder = toEmbedder(engine);
const shipped = readShippedVectors(await readFile(shippedVectorsFile));
const passages = await docsPassages(new URL('../../', import.meta.url));
after(() => engine.close());

/** What an engine is asked for beside what ships. */
function watched(name: string) {
  const asked: PassageText[] = [];
  const inner: PassageEmbedder = {
    name,
    textsAtOnce: 32,
    embedPassages: (texts) => {
      asked.push(...texts);
      return Promise.resolve(texts.map(() => Float32Array.of(1, 2)));
    },
  };
  return { asked, inner };
}

suite('vectors of the documentation that ship', () => {
  test('are what the encoder says, for most passages', async () => {
    // Pages change more often than it is worth to store half a megabyte again.
    await assertMadeBy(embedder, shipped, passages, { share: 0.7, by: 'training/derive-guide-vectors.ts' });
  });

  test('stand for the engine, which is asked for the rest, in order', async () => {
    const known = passages.filter((passage) => shipped.vectors.has(passageKey(passage))).slice(0, 3);
    const changed = known.map((passage) => ({ ...passage, text: `${passage.text} And more.` }));
    const { asked, inner } = watched(shipped.engine);
    const mixed = known.flatMap((passage, index) => [passage, changed[index] ?? passage]);
    const found = await withShippedVectors(inner).embedPassages(mixed, signal);
    assert.deepEqual(asked, changed);
    assert.deepEqual(
      found.map((vector) => Buffer.from(toStoredVector(vector))),
      mixed.map((passage) =>
        Buffer.from(shipped.vectors.get(passageKey(passage)) ?? toStoredVector(Float32Array.of(1, 2))),
      ),
    );
  });

  test('are there from when a page is found', async (t) => {
    const index = await openTestIndex(t, [], engine);
    await indexDocs(index.parts, { root: new URL('../../', import.meta.url), base: 'http://h' }, signal);
    const changed = new Set(
      passages.filter((passage) => !shipped.vectors.has(passageKey(passage))).map(({ title }) => title),
    );
    const stale = await index.parts.vectors.stale(embedder.name, 0, 1_000);
    assert.ok(changed.size < new Set(passages.map(({ title }) => title)).size);
    assert.deepEqual(new Set(stale.map(({ title }) => title)), changed);
  });

  test('are of no use to another engine', async () => {
    const { asked, inner } = watched('words');
    await withShippedVectors(inner).embedPassages(passages.slice(0, 3), signal);
    assert.equal(asked.length, 3);
  });

  test('are left alone where the file is cut off or missing', async (t) => {
    const file = pathToFileURL(join(await temporaryFolder(t), 'vectors.bin'));
    const bytes = writeShippedVectors(shipped);
    assert.deepEqual(readShippedVectors(bytes), shipped);
    for (const content of [null, bytes.subarray(0, -1), bytes.subarray(0, 12), Buffer.alloc(0)]) {
      if (content !== null) await writeFile(file, content);
      const { asked, inner } = watched(shipped.engine);
      await withShippedVectors(inner, file).embedPassages(passages.slice(0, 3), signal);
      assert.equal(asked.length, 3);
    }
  });
});
