import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setImmediate as yieldNow } from 'node:timers/promises';

import { Fault } from '../../kernel/faults.ts';
import { parsePatterns } from './new-source.ts';
import type { SourceOptions } from './source.ts';

/** Files that are read without being asked for by a pattern. */
const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.mdx': 'text/markdown',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.txt': 'text/plain',
  '.text': 'text/plain',
  '.rst': 'text/plain',
  '.csv': 'text/csv',
  '.tsv': 'text/csv',
  '.json': 'application/json',
};

/** What a pattern asked for beside them is read as plain text. */
export const typeOf = (path: string): string => types[extname(path).toLowerCase()] ?? 'text/plain';

const filesMax = 1_000_000;
/** Names that are looked at before others have their turn. */
const lookedAtOnce = 200;

export interface FolderFiles {
  /** In the order of their names. */
  readonly files: readonly string[];
  /** Folders below it whose files are not known. */
  readonly unreadable: readonly string[];
}

/** Files below a folder. Hidden ones, `node_modules` and links are left out. Throws Fault where it cannot be read itself. */
export async function listFiles(root: string, options: SourceOptions): Promise<FolderFiles> {
  const { isWanted, isLeftOut } = toFilter(options);
  const files: string[] = [];
  const unreadable: string[] = [];
  let looked = 0;
  const walk = async (folder: string, below: string, level: number): Promise<void> => {
    const entries = await entriesOf(folder, level === 0);
    if (entries === null) {
      if (!isLeftOut(below)) unreadable.push(folder);
      return;
    }
    // Each folder by itself: sorting 58,000 paths at once held the event loop for 200 ms.
    for (const entry of entries.toSorted(byName)) {
      looked++;
      if (looked % lookedAtOnce === 0) await yieldNow();
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (files.length >= filesMax) return;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (options.depth === null || level < options.depth)
          await walk(join(folder, entry.name), path, level + 1);
      } else if (entry.isFile() && isWanted(path)) files.push(join(folder, entry.name));
    }
  };
  await walk(root, '', 0);
  return { files, unreadable };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/** Null where they are not known. */
async function entriesOf(folder: string, isRoot: boolean) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A folder that is not mounted must not empty the index.
    if (isRoot) throw new Fault('not_found', 'The folder cannot be read.', { cause: error });
    // Nor one that has just vanished: its disk may have. The next refresh does not find it where it was removed.
    return null;
  }
}

interface FileFilter {
  readonly isWanted: (path: string) => boolean;
  /** Whether patterns leave out everything below a folder. */
  readonly isLeftOut: (folder: string) => boolean;
}

function toFilter({ include, exclude }: SourceOptions): FileFilter {
  const wanted = parsePatterns(include, 'include');
  const unwanted = parsePatterns(exclude, 'exclude');
  const isUnwanted = (path: string): boolean => unwanted.some((isMeant) => isMeant(path));
  return {
    isWanted(path) {
      if (isUnwanted(path)) return false;
      if (wanted.length > 0) return wanted.some((isMeant) => isMeant(path));
      return Object.hasOwn(types, extname(path).toLowerCase());
    },
    isLeftOut: (folder) =>
      [anyName, `${anyName}/${anyName}`].every((name) => isUnwanted(`${folder}/${name}`)),
  };
}

/** Only a pattern of any names has this one. */
const anyName = '\u{FFFF}';
