import { createStopScanner } from '../../stop-scanner.ts';

/** What of a text may be told, what ended it, and what is left: held back, or behind the end. */
export interface Scan {
  readonly told: string;
  readonly found: string | null;
  readonly left: string;
}

/** The first of these words in a text; without one, what may be the beginning of one is left. */
export function scanFor(text: string, words: readonly string[]): Scan {
  const scanner = createStopScanner(words);
  const { text: told, stop } = scanner.push(text);
  return { told, found: stop, left: stop === null ? scanner.end() : text.slice(told.length + stop.length) };
}
