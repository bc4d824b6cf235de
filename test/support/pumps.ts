/** Texts on which an expression with too much freedom goes back and forth: its own letters, over and over. */

const partsMax = 14;

/** Of an expression, so many letters of each text. The same texts in the same order for every size. */
export function* pumpsOf({ source }: RegExp, size: number): Generator<string> {
  const parts = partsOf(source);
  for (const part of parts) {
    const run = repeated(part, size);
    yield run;
    yield* ended(run);
    for (const other of parts) {
      if (other === part) continue;
      yield* ended(repeated(part + other, size));
      yield* ended(other + run);
    }
  }
}

function repeated(part: string, size: number): string {
  return part.repeat(Math.ceil(size / part.length));
}

/** With something that an expression for the whole of a text, or of a line, stumbles over at its end. */
function* ended(text: string): Generator<string> {
  yield `${text}\u0001`;
  yield `${text}\n\u0001`;
}

/** Letters and runs of letters that an expression names, and one of each class. */
function partsOf(source: string): readonly string[] {
  const letters = new Set<string>();
  const runs = new Set<string>();
  let run = '';
  const end = () => {
    if (run.length > 1) runs.add(run);
    run = '';
  };
  for (const [token] of source.matchAll(
    /\(\?<?[=!]|\(\?<\w+>|\(\?:|\{\d[\d,]*\}|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\.|[^]/giu,
  )) {
    const letter = letterOf(token);
    if (letter === null) end();
    else if (token.length > 1 && /^\\[sSdDwWpPbB]/.test(token)) {
      end();
      letters.add(letter);
    } else {
      letters.add(letter);
      run += letter;
    }
  }
  end();
  for (const usual of [' ', 'x', '\n', '0']) letters.add(usual);
  return [...runs, ...letters].slice(0, partsMax);
}

const classes: Readonly<Record<string, string>> = {
  s: ' ',
  S: 'x',
  d: '0',
  D: 'x',
  w: 'a',
  W: ' ',
  n: '\n',
  t: '\t',
  r: '\r',
};

/** Null for what stands for no letter. */
function letterOf(token: string): string | null {
  const code = /^\\u\{?(?<code>[\da-f]+)\}?$/i.exec(token)?.groups?.['code'];
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  if (/^\\[pP]/.test(token))
    return token.includes('{M')
      ? '\u0301'
      : token.includes('Han')
        ? '漢'
        : token.includes('{C')
          ? '\u0002'
          : 'a';
  if (/^\\[bB]$/.test(token)) return null;
  if (token.startsWith('\\')) return classes[token.charAt(1)] ?? token.charAt(1);
  return token.length > 1 || '()[]{}|?*+^$.'.includes(token) ? null : token;
}
