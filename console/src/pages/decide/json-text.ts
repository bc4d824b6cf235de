import { readNumber, WrittenNumber } from '../../parts/written-number.ts';

/** JSON with its objects as maps: names keep the order of the text, where JavaScript would move "10" to the front. */
export type Tree =
  string | number | WrittenNumber | boolean | null | readonly Tree[] | ReadonlyMap<string, Tree>;

/** Why a text is no JSON, and where. `line` and `column` begin at 1. */
export interface JsonProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type ParsedJson =
  { readonly value: Tree; readonly problem: null } | { readonly value: null; readonly problem: JsonProblem };

/** Levels that the server takes in a whole request, less the two around what is written here. */
const depthMax = 62;

/** Parses JSON and reports the position of the first error, which browsers report differently or not at all. */
export function parseJson(text: string): ParsedJson {
  const reader = new Reader(text);
  try {
    return { value: reader.readAll(), problem: null };
  } catch (error) {
    if (!(error instanceof Misplaced)) throw error;
    const before = text.slice(0, error.at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { value: null, problem: { message: error.message, line: before.length, column } };
  }
}

/** As `JSON.stringify` prints it, but in the order of the maps. Without `indent` on one line. */
export function printJson(tree: Tree, indent = '', prefix = ''): string {
  if (tree instanceof WrittenNumber) return tree.text;
  if (!isMap(tree) && !isList(tree)) return JSON.stringify(tree);
  const inner = prefix + indent;
  const parts = isMap(tree)
    ? [...tree].map(
        ([name, value]) => `${JSON.stringify(name)}:${indent && ' '}${printJson(value, indent, inner)}`,
      )
    : tree.map((value) => printJson(value, indent, inner));
  const [open, close] = isMap(tree) ? ['{', '}'] : ['[', ']'];
  if (parts.length === 0) return open + close;
  if (indent === '') return open + parts.join(',') + close;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${prefix}${close}`;
}

/** What `JSON.parse` would have returned, but numbers with all of their digits. */
export function toPlain(tree: Tree): unknown {
  if (isMap(tree)) return Object.fromEntries([...tree].map(([name, value]) => [name, toPlain(value)]));
  return isList(tree) ? tree.map(toPlain) : tree;
}

export function isMap(tree: Tree | undefined): tree is ReadonlyMap<string, Tree> {
  return tree instanceof Map;
}

export function isList(tree: Tree | undefined): tree is readonly Tree[] {
  return Array.isArray(tree);
}

class Misplaced extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const wordPattern = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const spacePattern = /[ \t\n\r]*/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): Tree {
    this.#skipSpace();
    if (this.#at === this.#text.length) throw new Misplaced('There is nothing here yet', this.#at);
    const value = this.#readValue(1);
    if (this.#at < this.#text.length) throw new Misplaced('Nothing may follow the end', this.#at);
    return value;
  }

  #readValue(depth: number): Tree {
    if (depth > depthMax) throw new Misplaced(`More than ${depthMax} levels`, this.#at);
    const next = this.#text[this.#at];
    if (next === '{') return this.#readMap(depth);
    if (next === '[') return this.#readList(depth);
    return next === '"' ? this.#readString() : this.#readWord();
  }

  #readMap(depth: number): Tree {
    const map = new Map<string, Tree>();
    this.#readItems('}', 'a name in double quotes', () => {
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#expected('a name in double quotes');
      const name = this.#readString();
      if (map.has(name)) throw new Misplaced(`${JSON.stringify(name)} is here twice`, at);
      if (this.#text[this.#at] !== ':') throw this.#expected('a colon');
      this.#step();
      map.set(name, this.#readValue(depth + 1));
    });
    return map;
  }

  #readList(depth: number): Tree {
    const list: Tree[] = [];
    this.#readItems(']', 'a value', () => void list.push(this.#readValue(depth + 1)));
    return list;
  }

  #readItems(close: string, wanted: string, readItem: () => void): void {
    this.#step();
    if (this.#text[this.#at] === close) {
      this.#step();
      return;
    }
    for (;;) {
      if (this.#text[this.#at] === close) throw this.#expected(`${wanted} after the comma`);
      readItem();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== close) throw this.#expected(`a comma or ${close}`);
      this.#step();
      if (next === close) return;
    }
  }

  #readString(): string {
    const start = this.#at;
    try {
      const text = JSON.parse(this.#text.slice(start, this.#endOfString())) as string;
      this.#at = this.#endOfString();
      this.#skipSpace();
      return text;
    } catch {
      throw new Misplaced('This string is not closed, or holds what has to be escaped', start);
    }
  }

  /** Searches, because an image in a string has millions of letters. */
  #endOfString(): number {
    for (let at = this.#at + 1; ; at += 1) {
      at = this.#text.indexOf('"', at);
      if (at === -1) return this.#text.length;
      let before = at - 1;
      while (this.#text[before] === '\\') before -= 1;
      if ((at - before) % 2 === 1) return at + 1;
    }
  }

  #readWord(): Tree {
    const found = this.#match(wordPattern);
    if (found === null)
      throw this.#expected('a value: text in double quotes, a number, true, false, null, { or [');
    this.#skipSpace();
    return /\d/.test(found) ? readNumber(found) : (JSON.parse(found) as Tree);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #step(): void {
    this.#at += 1;
    this.#skipSpace();
  }

  #skipSpace(): void {
    this.#match(spacePattern);
  }

  #expected(what: string): Misplaced {
    const found = this.#text[this.#at];
    return new Misplaced(`Here should be ${what}, not ${found === undefined ? 'the end' : found}`, this.#at);
  }
}
