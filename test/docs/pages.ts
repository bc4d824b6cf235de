import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface GuidePage {
  /** Path from the repository. */
  readonly file: string;
  readonly text: string;
}

/** What a user reads: the README and the guide. */
export async function readGuide(): Promise<readonly GuidePage[]> {
  const names = (await readdir(join(root, 'docs', 'guide'))).filter((name) => name.endsWith('.md'));
  const files = ['README.md', ...names.toSorted().map((name) => join('docs', 'guide', name))];
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));
}
