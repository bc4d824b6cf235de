import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encoderPath, readerPath } from '../encoder.ts';
import { embeddingSize, openEmbeddings } from './embeddings.ts';

const graph = join(encoderPath, 'model.onnx');
const folder = mkdtempSync(join(tmpdir(), 'nestor-embeddings-'));
after(() => rmSync(folder, { recursive: true }));

test('embeddings are those that the graph of the encoder makes', async () => {
  const embed = await openEmbeddings(graph, readerPath);
  // "[CLS] hello world [SEP]", by onnxruntime 1.22.1 in Python with `embedded` among the outputs of the graph.
  const expected = [
    [-0.1843, -0.04005, 0.05385],
    [-0.37422, 1.06611, 0.34442],
    [0.05464, 0.81947, -0.63006],
    [0.34666, 0.05674, -0.178],
  ];
  const made = embed([101, 7592, 2088, 102]);
  assert.equal(made.length, 4 * embeddingSize);
  for (const [token, numbers] of expected.entries())
    for (const [index, number] of numbers.entries())
      assert.ok(Math.abs((made[token * embeddingSize + index] ?? 0) - number) < 1e-5);
});

test('a file that does not say where they are, or says so wrongly, is refused', async () => {
  const open = (places: object) => {
    writeFileSync(join(folder, 'embeddings.json'), JSON.stringify(places));
    return openEmbeddings(graph, folder);
  };
  await assert.rejects(open({}), /does not say where word_embeddings\.bytes is/);
  await assert.rejects(
    open({ 'word_embeddings.bytes': { at: 1e9, bytes: 384 } }),
    /word_embeddings\.bytes is not where/,
  );
});
