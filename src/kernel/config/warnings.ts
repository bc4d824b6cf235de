import { statSync } from 'node:fs';

interface WarnedFile {
  readonly path: string;
  readonly source: string;
  readonly tree: unknown;
}

/** A warning where the file holds keys and others may read it. */
export function findFileWarnings(file: WarnedFile | undefined): readonly string[] {
  if (file === undefined || !holdsKeys(file.tree) || !isReadable(file.path)) return [];
  return [`${file.source}: holds keys and can be read by other users of this machine; chmod 600 it`];
}

/** A key that is written out, and is no `${NAME}`. */
function holdsKeys(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.some(holdsKeys);
  if (typeof tree !== 'object' || tree === null) return false;
  return Object.entries(tree).some(([name, value]) =>
    typeof value === 'string' ? /^(?:.+_)?key$/.test(name) && !value.includes('${') : holdsKeys(value),
  );
}

/** By its group or by everybody. Modes say nothing on Windows. */
function isReadable(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o044) !== 0;
}
