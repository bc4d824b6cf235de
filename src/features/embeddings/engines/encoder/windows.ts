import type { Row } from '../../../models/feature.ts';
import type { Embedder } from '../../in-process.ts';

/**
 * Takes texts of any length: one that is too long for the model is read in windows of about equal length beside each
 * other, and its vector is their mean, each counted by its tokens.
 */
export function inWindows(embedder: Embedder<Row>): Embedder<Row> {
  return {
    ...embedder,
    textTokensMax: Number.POSITIVE_INFINITY,
    async embed(rows, signal, account) {
      const windows = rows.map((row) => windowsOf(row, embedder.textTokensMax));
      const vectors = (await embedder.embed(windows.flat(), signal, account)).values();
      return windows.map((own) => meanOf(own.map((row) => ({ row, vector: vectors.next().value }))));
    },
  };
}

/** Each opens and ends as the row does. */
export function windowsOf(row: Row, tokensMax: number): readonly Row[] {
  const { ids, types } = row;
  const [first, last] = [ids[0], ids.at(-1)];
  if (ids.length <= tokensMax || first === undefined || last === undefined) return [row];
  const inner = ids.slice(1, -1);
  const count = Math.ceil(inner.length / (tokensMax - 2));
  const bound = (window: number) => Math.round((window * inner.length) / count);
  return Array.from({ length: count }, (_, window) => {
    const part = [first, ...inner.slice(bound(window), bound(window + 1)), last];
    return { ids: part, types: types.slice(0, part.length) };
  });
}

interface Window {
  readonly row: Row;
  readonly vector: Float32Array | undefined;
}

function meanOf(windows: readonly Window[]): Float32Array {
  const [{ vector: first = new Float32Array() } = {}] = windows;
  if (windows.length <= 1) return first;
  const sums = new Float64Array(first.length);
  let tokens = 0;
  for (const { row, vector } of windows) {
    tokens += row.ids.length;
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + row.ids.length * (vector?.[i] ?? 0);
  }
  return Float32Array.from(sums, (sum) => sum / tokens);
}
