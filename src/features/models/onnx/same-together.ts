import type { Graph } from './graph.ts';
import type { Row } from './row.ts';
import type { Tokenize } from './tokens.ts';

/** How many tokens are put into the shortest row, and how many such rows are evaluated: about as many tokens as a turn has. */
const trials = [
  { more: 1, count: 8 },
  { more: 6, count: 4 },
  { more: 20, count: 3 },
] as const;
/** CPU time. Where this is not enough, rows cost so much arithmetic that together they would cost as much. Unit: ms. */
const spentMax = 4_000;
const letters = 'a b c d e f g h i j k l m n o p q r s t u v w x y z';

/**
 * Whether rows of one length give the same bytes together as alone. It is tried and not proved: in which order a runtime
 * sums follows from the graph and the shape of what it reads, never from what that holds.
 */
export async function givesSameTogether(
  graph: Graph,
  tokenize: Tokenize,
  tokensMax: number,
): Promise<boolean> {
  const { sample } = graph;
  if (graph.runTogether === undefined) return false;
  const before = process.cpuUsage();
  const { ids: fill } = tokenize({ text: letters, pair: null, isBare: true });
  for (const { more, count } of trials) {
    if (sample.ids.length + more > tokensMax) return more > trials[0].more;
    const rows = Array.from({ length: count }, (_, index) => stretched(sample, fill, index, more));
    const alone: Float32Array[] = [];
    for (const row of rows) {
      alone.push(await graph.run(row));
      const { user, system } = process.cpuUsage(before);
      if (user + system > 1_000 * spentMax) return false;
    }
    for (const few of [2, count]) {
      // A graph may have been exported for one row at a time.
      const together = await graph.runTogether(rows.slice(0, few)).catch(() => null);
      if (together?.every((values, index) => isSame(values, alone[index])) !== true) return false;
    }
  }
  return true;
}

/** A row with more tokens before its last one, which differ from those of other numbers. */
function stretched(row: Row, fill: readonly number[], index: number, more: number): Row {
  const added = Array.from({ length: more }, (_, at) => fill[(index + 5 * at) % fill.length] ?? 0);
  const between = (all: readonly number[], values: readonly number[]) => [
    ...all.slice(0, -1),
    ...values,
    ...all.slice(-1),
  ];
  const type = row.types.at(-1) ?? 0;
  return {
    ...row,
    ids: between(row.ids, added),
    types: between(
      row.types,
      added.map(() => type),
    ),
  };
}

const isSame = (a: Float32Array, b: Float32Array = new Float32Array()): boolean =>
  a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
