import { createHash } from 'node:crypto';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Of a file so many blocks are read, spread over all of it: another training changes every layer. */
const blocks = 64;
const blockBytes = 65_536;

/** What belongs to a model in ONNX form. */
const modelFile = /\.(?:json|txt|model|onnx|onnx[._]data)$/;

/** Tells one model from another: a GGUF file, or the folder of a graph in ONNX form. Rejects where it cannot be read. */
export async function modelDigest(path: string): Promise<string> {
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder && !path.endsWith('.onnx')) return shorten([await sampleOf(path)]);
  const graphs = isFolder ? path : dirname(path);
  const folder = basename(graphs) === 'onnx' ? dirname(graphs) : graphs;
  const samples: string[] = [];
  for (const place of [folder, join(folder, 'onnx')]) {
    const names = await readdir(place).catch(() => []);
    for (const name of names.filter((one) => modelFile.test(one)).toSorted())
      samples.push(`${name} ${await sampleOf(join(place, name))}`);
  }
  return shorten(samples);
}

async function sampleOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256').update(String(size));
    const count = Math.min(blocks, Math.ceil(size / blockBytes));
    const last = Math.max(0, size - blockBytes);
    for (let block = 0; block < count; block++) {
      const from = Math.round((block * last) / Math.max(1, count - 1));
      const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, from);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/**
 * Tells one version of what answers by itself from another: its data and its code, in which its fitted numbers and its
 * lists of words stand. Folders are read whole, tests left out.
 */
export async function codeDigest(places: readonly URL[]): Promise<string> {
  const digests: string[] = [];
  for (const place of places) {
    const path = fileURLToPath(place);
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? await readdir(path, { recursive: true }) : [''];
    for (const name of names.filter((one) => one === '' || shipped.test(one)).toSorted())
      digests.push(
        createHash('sha256')
          .update(await readFile(join(path, name)))
          .digest('hex'),
      );
  }
  return shorten(digests);
}

/** `.ts` in the source, `.js` in the package. */
const shipped = /(?<!\.test|\.fixture)\.(?:ts|js|json)$/;

const shorten = (texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 32);
