import { statSync } from 'node:fs';

interface WarnedFile {
  readonly path: string;
  readonly source: string;
  readonly tree: unknown;
}

/** Warns of a file with keys that others can read. */
export function findFileWarnings(file: WarnedFile | undefined): readonly string[] {
  if (file === undefined || !holdsKeys(file.tree) || !isReadable(file.path)) return [];
  return [`${file.source}: holds keys and can be read by other users of this machine; chmod 600 it`];
}

/** Whether any key is literal, not `${NAME}`. */
function holdsKeys(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.some(holdsKeys);
  if (typeof tree !== 'object' || tree === null) return false;
  return Object.entries(tree).some(([name, value]) =>
    typeof value === 'string' ? /^(?:.+_)?key$/.test(name) && !value.includes('${') : holdsKeys(value),
  );
}

/** Modes mean nothing on Windows. */
function isReadable(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o044) !== 0;
}
