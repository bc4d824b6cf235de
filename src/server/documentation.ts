import { readFile } from 'node:fs/promises';

/** Folder with README.md and docs/. */
const root = new URL('../../', import.meta.url);
const namePattern = /^[A-Za-z0-9-]{1,64}$/;

/** Reads a page of the guide, or the README, by its name without extension; null when there is none. */
export async function readDocumentation(page: string): Promise<Uint8Array | null> {
  if (!namePattern.test(page)) return null;
  const path = page === 'README' ? 'README.md' : `docs/guide/${page}.md`;
  return readFile(new URL(path, root)).catch(() => null);
}
