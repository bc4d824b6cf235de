import type { Row, RowText } from './row.ts';

type TokenizeAll = (
  texts: readonly RowText[],
  signal: AbortSignal,
  account: string,
) => Promise<readonly Row[]>;

/** Of all texts that are kept; with their tokens they take some 10 MB. */
const keptMax = 1_048_576;

/**
 * Keeps the rows of the last texts, because a request counts its tokens before it has them read, and many ask the same
 * questions: a state of 49 tokens went to the thread three times for one decision, and its question twice.
 */
export function keepRows(tokenize: TokenizeAll, most: number = keptMax): TokenizeAll {
  const kept = new Map<string, Row>();
  let size = 0;

  function keep(key: string, row: Row): void {
    if (kept.delete(key)) size -= key.length;
    // The last used stand last.
    kept.set(key, row);
    size += key.length;
    for (const old of kept.keys()) {
      if (size <= most) break;
      kept.delete(old);
      size -= old.length;
    }
  }

  return async (texts, signal, account) => {
    signal.throwIfAborted();
    const keys = texts.map((text) => JSON.stringify(text));
    const known = keys.map((key) => kept.get(key));
    const missing = new Map(
      texts.flatMap((text, at) => (known[at] ? [] : [[keys[at] ?? '', text] as const])),
    );
    const made = missing.size === 0 ? [] : await tokenize([...missing.values()], signal, account);
    const found = new Map([...missing.keys()].map((key, at) => [key, made[at]] as const));
    return keys.map((key, at) => {
      const row = known[at] ?? found.get(key);
      if (row === undefined) throw new Error('a text was not tokenized');
      keep(key, row);
      return row;
    });
  };
}
