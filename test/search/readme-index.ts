import { readdir, readFile } from 'node:fs/promises';

import type { EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import type { PassageText } from '../../src/features/index/windows.ts';
import type { PageText } from '../../src/features/index/to-document.ts';
import type { TestScope } from '../support/server.ts';
import { openTestIndex, type TestIndex } from './index-support.ts';
import { readmePackages } from './readme-questions.ts';

const packages = new URL('../../node_modules/', import.meta.url);
/** Vectors of their passages by the encoder that ships, without which it reads for four minutes; `derive-readme-vectors.ts`. */
export const readmeVectorsFile = new URL('readme-vectors.bin', import.meta.url);
const base = 'http://packages/';

/** The address under which the README of a package is found. */
export const toPackage = (url: string): string => url.slice(base.length);

/** An index of the READMEs as the lockfile pins them, by default with the engine words. */
export async function openReadmeIndex(
  t: TestScope,
  embeddings: EmbeddingEngine | null = null,
  store?: string,
): Promise<TestIndex> {
  const index = await openTestIndex(t, [], embeddings, store, readmeVectorsFile);
  for await (const [name, page] of readmes(index)) await index.put(base + name, page);
  return index;
}

/** The READMEs with the names of their packages. */
export async function* readmes(index: TestIndex): AsyncGenerator<readonly [name: string, page: PageText]> {
  const never = new AbortController().signal;
  for (const name of readmePackages) {
    const folder = new URL(`${name}/`, packages);
    const file = (await readdir(folder)).find((one) => /^readme\.(?:md|markdown)$/i.test(one));
    if (file === undefined) throw new Error(`${name} has no README`);
    const bytes = await readFile(new URL(file, folder));
    yield [name, await index.parts.reader.extract(bytes, 'text/markdown', `${base}${name}/${file}`, never)];
  }
}

/** What is embedded of them. */
export async function readmePassages(index: TestIndex): Promise<readonly PassageText[]> {
  const { signal } = new AbortController();
  const found: PassageText[] = [];
  for await (const [name, page] of readmes(index)) {
    const origin = { sourceId: '', url: name, hash: '', etag: null, lastModified: null, fetchedAtMs: 0 };
    const { title, passages } = await index.parts.maker.split(page, origin, signal);
    found.push(...passages.map(({ heading, text }) => ({ title, heading, text })));
  }
  return found;
}
