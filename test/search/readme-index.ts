import { readdir, readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import type { EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import type { TestScope } from '../support/server.ts';
import { openTestIndex, type TestIndex } from './index-support.ts';
import { readmePackages } from './readme-questions.ts';

const packages = new URL('../../node_modules/', import.meta.url);
const base = 'http://packages/';

/** The address under which the README of a package is found. */
export const toPackage = (url: string): string => url.slice(base.length);

/** An index of the READMEs as the lockfile pins them, by default with the engine words. */
export async function openReadmeIndex(
  t: TestScope,
  embeddings: EmbeddingEngine | null = null,
  store?: string,
): Promise<TestIndex> {
  const index = await openTestIndex(t, [], embeddings, store);
  const never = new AbortController().signal;
  for (const name of readmePackages) {
    const folder = new URL(`${name}/`, packages);
    const file = (await readdir(folder)).find((one) => /^readme\.(?:md|markdown)$/i.test(one));
    if (file === undefined) throw new Error(`${name} has no README`);
    const bytes = await readFile(new URL(file, folder));
    const address = pathToFileURL(file).href;
    const { title, text, language } = await index.parts.reader.extract(
      bytes,
      'text/markdown',
      address,
      never,
    );
    await index.put(base + name, { title, text, language });
  }
  return index;
}
