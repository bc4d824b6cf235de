const languages = ['sh', 'ts', 'python'] as const;
export type Language = (typeof languages)[number];

/** A fence of a document that its reader can run. */
export interface Example {
  readonly file: string;
  /** Line of the fence, from 1. */
  readonly line: number;
  readonly language: Language;
  readonly code: string;
  /** What it prints as JSON, where the document shows it. */
  readonly printed: { readonly json: string; readonly exactly: boolean } | null;
}

export interface Fence {
  /** The comment above it, without its marks. */
  readonly mark: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/**
 * The examples of a document: `<!-- run -->` above a fence of `sh`, `ts` or `python` makes it one. `<!-- prints -->`
 * above the `json` fence after it says what it prints, up to the values; with `<!-- prints exactly -->` the values count
 * too. Throws Error for a mark that this does not know, so that no example is left out by a slip.
 */
export function readExamples(file: string, text: string): Example[] {
  const examples: Example[] = [];
  let last: Example | null = null;
  for (const { mark, line, language, code } of readFences(text)) {
    const at = `${file}:${line}`;
    if (mark === 'run') {
      const known = languages.find((name) => name === language);
      if (known === undefined) throw new Error(`${at}: only ${languages.join(', ')} can be run`);
      last = { file, line, language: known, code, printed: null };
      examples.push(last);
    } else if (mark === 'prints' || mark === 'prints exactly') {
      if (last === null) throw new Error(`${at}: nothing runs before what is printed`);
      examples[examples.length - 1] = { ...last, printed: { json: code, exactly: mark !== 'prints' } };
      last = null;
    } else if (mark === '') {
      last = null;
    } else {
      throw new Error(`${at}: unknown mark "${mark}"`);
    }
  }
  return examples;
}

const marked = /^<!-- *(?<mark>.*?) *-->$/;

/** Every fence of a document, with the comment above it. */
export function* readFences(text: string): Generator<Fence> {
  const lines = text.split('\n');
  let mark = '';
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (line.startsWith('```')) {
      const end = lines.indexOf('```', i + 1);
      const code = lines.slice(i + 1, end).join('\n');
      yield { mark, line: i + 1, language: line.slice(3), code };
      mark = '';
      i = end;
    } else if (line !== '') {
      mark = marked.exec(line)?.groups?.['mark'] ?? '';
    }
  }
}
