import { statSync } from 'node:fs';

interface Warned {
  readonly adminKey: string | null;
  readonly keys: readonly { readonly key: string }[];
}

interface WarnedFile {
  readonly path: string;
  readonly source: string;
  readonly tree: unknown;
}

/** Shorter keys are taken, and can be guessed by who may try for long. */
const keyCharsWanted = 24;

/** What works and should not stay so, each as one line without secrets. `toSource` names the file or variable of a key. */
export function findWarnings(
  { adminKey, keys }: Warned,
  file: WarnedFile | undefined,
  toSource: (path: string) => string,
): readonly string[] {
  const own = keys.map(({ key }, at): [string, string] => [`keys[${at}].key`, key]);
  if (adminKey !== null) own.push(['admin_key', adminKey]);
  const short = own
    .filter(([, key]) => key.length < keyCharsWanted)
    .map(([path, { length }]) => {
      return `${toSource(path)}: ${path} has ${length} characters; ${keyCharsWanted} or more cannot be guessed`;
    });
  return file !== undefined && holdsKeys(file.tree) && isReadable(file.path)
    ? [...short, `${file.source}: holds keys and can be read by other users of this machine; chmod 600 it`]
    : short;
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
