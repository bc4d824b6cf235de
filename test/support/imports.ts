export interface Imports {
  /** Specifiers in order; null for a dynamic import of something computed. */
  readonly imports: readonly (string | null)[];
  readonly defaultExport: boolean;
}

type Token = { readonly kind: 'word' | 'string' | 'mark' | 'expression'; readonly text: string };

const known = new Map<string, Imports>();

/**
 * Finds the imports of a TypeScript source by its tokens: comments, strings and templates are told apart. What was found
 * is kept: the rules of the house ask five times for the imports of each file.
 */
export function importsOf(source: string): Imports {
  const found = known.get(source) ?? find(source);
  known.set(source, found);
  return found;
}

function find(source: string): Imports {
  const tokens = [...tokenize(source)];
  const imports: (string | null)[] = [];
  let defaultExport = false;
  const at = (index: number) => tokens[index] ?? { kind: 'mark', text: '' };
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text } = at(i);
    if (kind !== 'word' || at(i - 1).text === '.') continue;
    if (text === 'import') {
      const next = at(i + 1);
      if (next.text === '(' && next.kind === 'mark') {
        imports.push(at(i + 2).kind === 'string' ? at(i + 2).text : null);
      } else if (next.kind === 'string') imports.push(next.text);
      else if (next.text !== '.') pushSource(i + 1);
    } else if (text === 'export') {
      if (at(i + 1).text === 'default') defaultExport = true;
      else if (['{', '*'].includes(at(i + 1).text) || ['{', '*'].includes(at(i + 2).text)) pushSource(i + 1);
    }
  }
  return { imports, defaultExport };

  /** Reads `{ a, b } from '…'`, `* as a from '…'` or `a from '…'`. */
  function pushSource(from: number): void {
    for (let i = from; i < tokens.length; i++) {
      const { kind, text } = at(i);
      if (kind === 'mark' && text === '}' && at(i + 1).text !== 'from') {
        if (at(i - 1).text === 'default' && at(i - 2).text === 'as') defaultExport = true;
        return;
      }
      if (kind === 'mark' && !['{', '}', ',', '*'].includes(text)) return;
      if (text === 'from' && at(i + 1).kind === 'string') {
        imports.push(at(i + 1).text);
        return;
      }
    }
  }
}

/** The regular expressions that a source writes between slashes. */
export function expressionsOf(source: string): readonly RegExp[] {
  return [...tokenize(source)].flatMap(({ kind, text }) => {
    if (kind !== 'expression') return [];
    const end = text.lastIndexOf('/');
    return [new RegExp(text.slice(1, end), text.slice(end + 1))];
  });
}

const wordPattern = /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*/uy;
/** Words after which a slash begins a regular expression. */
const beforeRegex = /^(?:return|typeof|case|in|of|do|else|void|delete|await|yield|new|instanceof)$/;

function* tokenize(source: string): Generator<Token> {
  let i = 0;
  let last: Token | null = null;
  /** For each open template, how many braces are open inside its substitution. */
  const templates: number[] = [];
  const emit = (token: Token): Token => (last = token);
  while (i < source.length) {
    const char = source[i] ?? '';
    if (/\s/.test(char)) i++;
    else if (source.startsWith('//', i)) i = orEnd(source.indexOf('\n', i), source);
    else if (source.startsWith('/*', i)) i = orEnd(source.indexOf('*/', i + 2), source) + 2;
    else if (char === "'" || char === '"') {
      const end = endOf(source, i + 1, char);
      yield emit({ kind: 'string', text: source.slice(i + 1, end) });
      i = end + 1;
    } else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop();
      i++;
      while (i < source.length && source[i] !== '`' && !source.startsWith('${', i))
        i += source[i] === '\\' ? 2 : 1;
      if (source[i] === '$') {
        templates.push(0);
        i += 2;
        emit({ kind: 'mark', text: '(' });
      } else {
        i++;
        yield emit({ kind: 'mark', text: ')' });
      }
    } else if (char === '/' && startsRegex(last)) {
      const start = i;
      i = endOfRegex(source, i + 1) + 1;
      while (/[a-z]/.test(source[i] ?? '')) i++;
      yield emit({ kind: 'expression', text: source.slice(start, i) });
    } else {
      wordPattern.lastIndex = i;
      const word = wordPattern.exec(source)?.[0];
      if (word === undefined && templates.length > 0 && '{}'.includes(char)) {
        templates.push((templates.pop() ?? 0) + (char === '{' ? 1 : -1));
      }
      yield emit(word === undefined ? { kind: 'mark', text: char } : { kind: 'word', text: word });
      i += word?.length ?? 1;
    }
  }
}

function orEnd(index: number, source: string): number {
  return index < 0 ? source.length : index;
}

function endOf(source: string, from: number, quote: string): number {
  let i = from;
  while (i < source.length && source[i] !== quote && source[i] !== '\n') i += source[i] === '\\' ? 2 : 1;
  return i;
}

function startsRegex(last: Token | null): boolean {
  if (last === null) return true;
  if (last.kind === 'word') return beforeRegex.test(last.text);
  return last.kind === 'mark' && !')]}'.includes(last.text);
}

function endOfRegex(source: string, from: number): number {
  let inClass = false;
  for (let i = from; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '\n' || (char === '/' && !inClass)) return i;
  }
  return source.length;
}
