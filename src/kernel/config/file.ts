import { readFileSync, statSync } from 'node:fs';
import { LineCounter, parseDocument, visit, type Document } from 'yaml';
import { errorCode } from '../kit/errors.ts';
import { ConfigError } from './fault.ts';
import { findReferences, hideReferences } from './variables.ts';

export interface ConfigFile {
  /** Contents with `${…}` unresolved; null when empty. */
  readonly tree: unknown;
  /** Variables that the file refers to. */
  readonly references: readonly string[];
}

export interface FoundFile extends ConfigFile {
  readonly path: string;
  /** Path for messages. */
  readonly source: string;
}

/** Reads a YAML file; undefined when absent. Throws a ConfigError when unreadable. */
export function readConfigFile(path: string, source: string): ConfigFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    if (code === 'ENOENT') return undefined;
    throw new ConfigError(`${source}: cannot be read (${code})`);
  }
  return { tree: parseYaml(text, source), references: findReferences(text).map(({ name }) => name) };
}

function parseYaml(text: string, source: string): unknown {
  const { hidden, restore } = hideReferences(text);
  const lines = new LineCounter();
  const document = parseDocument(hidden, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const [problem] = [...document.errors, ...document.warnings, ...findLooseAliases(document)];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    // The parser's message can quote a secret from the file; its code cannot.
    const what = problem.code.toLowerCase().replaceAll('_', ' ');
    throw new ConfigError(`${source}:${line}:${col}: not valid YAML (${what})`);
  }
  try {
    return restoreTree(document.toJS({ maxAliasCount: 100 }), restore);
  } catch {
    throw new ConfigError(`${source}: not valid YAML (too many aliases)`);
  }
}

function findLooseAliases(
  document: Document,
): readonly { readonly code: string; readonly pos: readonly [number] }[] {
  const loose: { readonly code: string; readonly pos: readonly [number] }[] = [];
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined)
        loose.push({ code: 'bad alias', pos: [alias.range?.[0] ?? 0] });
    },
  });
  return loose;
}

function restoreTree(value: unknown, restore: (text: string) => string): unknown {
  if (typeof value === 'string') return restore(value);
  if (Array.isArray(value)) return value.map((item) => restoreTree(item, restore));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [restore(key), restoreTree(item, restore)]),
  );
}

/** Warns of a file with keys that others can read. */
export function findFileWarnings(file: FoundFile | undefined): readonly string[] {
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
