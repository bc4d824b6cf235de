import { openGraph, type Graph } from './graph.ts';
import type { ModelFolder } from './model-folder.ts';
import { openTokenizer, type Tokenize } from './tokens.ts';
import type { RowAbout } from './reader.ts';
import type { Row, RowText } from './row.ts';

/** What the thread of a model is asked. */
export type OnnxJob =
  | { readonly kind: 'tokenize'; readonly texts: readonly RowText[] }
  | { readonly kind: 'run'; readonly rows: readonly Row[] };

export type OnnxReply =
  | { readonly kind: 'tokenize'; readonly rows: readonly Row[] }
  | { readonly kind: 'run'; readonly values: readonly Float32Array[] };

/** Tokenizer and graph of a model. Throws OnnxProblem. */
export async function openBoth(model: ModelFolder): Promise<{ tokenize: Tokenize; graph: Graph }> {
  const tokenize = await openTokenizer(model.tokenizer);
  return { tokenize, graph: await openGraph(model, tokenize) };
}

/** Does the jobs of a model, which is opened with the first of them. */
export function createOnnxWork(model: ModelFolder): (job: OnnxJob) => Promise<OnnxReply> {
  let opened: ReturnType<typeof openBoth> | undefined;
  return async (job) => {
    const { tokenize, graph } = await (opened ??= openBoth(model));
    if (job.kind === 'tokenize') return { kind: 'tokenize', rows: job.texts.map(tokenize) };
    return { kind: 'run', values: await runAll(graph, job.rows, model) };
  };
}

/** One after the other, or those of a length at once where that changes nothing. */
async function runAll(
  graph: Graph,
  rows: readonly Row[],
  { evaluatesTogether }: ModelFolder,
): Promise<readonly Float32Array[]> {
  const values: Float32Array[] = [];
  const isRead = (row: Row): row is RowAbout => graph.read !== undefined && row.about !== undefined;
  const encoded = [...rows.entries()].filter(([, row]) => !isRead(row));
  if (!evaluatesTogether || graph.runTogether === undefined)
    for (const [index, row] of encoded) values[index] = await graph.run(row);
  else
    for (const group of Map.groupBy(encoded, ([, { ids }]) => ids.length).values()) {
      const found = await graph.runTogether(group.map(([, row]) => row));
      for (const [at, [index]] of group.entries()) values[index] = found[at] ?? new Float32Array();
    }
  for (const [index, row] of rows.entries())
    if (isRead(row)) values[index] = (await graph.read?.(row)) ?? new Float32Array();
  return values;
}
