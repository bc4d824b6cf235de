/** `credits_purchased_usd` -> `creditsPurchasedUsd`. A plain `string` (a free map's key) stays. */
export type CamelName<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : S;

/** Deeply readonly, known keys in camelCase. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? readonly Camel<Item>[]
  : T extends object
    ? { readonly [K in keyof T as K extends string ? CamelName<K> : K]: Camel<T[K]> }
    : T;

export const toCamelName = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `keys` + 0 -> `keys[0]`; ambiguous names are quoted. */
export function toPath(parent: string, part: string | number): string {
  if (typeof part === 'number') return `${parent}[${part}]`;
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return `${parent}[${JSON.stringify(part)}]`;
  return parent === '' ? part : `${parent}.${part}`;
}

/** The candidate that was probably meant: ignoring case, `-` and `_`, at most a third of the letters differ. */
export function findNearest(given: string, candidates: readonly string[]): string | undefined {
  const word = plain(given);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = countEdits(word, plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** What a name could have been, for the end of a message. */
export function suggestNames(given: string, known: readonly string[]): string {
  const nearest = findNearest(given, known);
  return `${nearest === undefined ? '' : `did you mean ${nearest}? `}allowed: ${known.join(', ')}`;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const options = [
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      ];
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) options.push(at(beforeLast, column - 2) + 1);
      current.push(Math.min(...options));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
