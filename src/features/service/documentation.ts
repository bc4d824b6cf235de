import { readFile } from 'node:fs/promises';

/** Folder with README.md and docs/. */
const root = new URL('../../../', import.meta.url);
const namePattern = /^(?:reference\/)?[A-Za-z0-9-]{1,64}$/;

/**
 * Reads a page by its name without extension: of the guide, of the reference as `reference/agent`, or the README. Null
 * when there is none.
 */
export async function readDocumentation(page: string): Promise<Uint8Array | null> {
  if (!namePattern.test(page)) return null;
  const folder = page.startsWith('reference/') ? 'docs' : 'docs/guide';
  const path = page === 'README' ? 'README.md' : `${folder}/${page}.md`;
  return readFile(new URL(path, root)).catch(() => null);
}
