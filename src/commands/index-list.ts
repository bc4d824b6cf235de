import { exitCodes } from './eval-exit.ts';
import type { IndexParts, IndexTools, KeptSource } from './index-parts.ts';
import { findSource, oneLine } from './index-refresh.ts';
import { printJson, printRecords, toTime, type Column } from './print.ts';

interface Row extends Pick<KeptSource, 'id' | 'kind' | 'location' | 'everyMs' | 'refreshedAtMs' | 'dueAtMs'> {
  readonly documents: number;
  readonly failed: number | null;
  /** A refresh is under way or was broken off. */
  readonly isUnfinished: boolean;
}

const columns: readonly Column<Row>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'KIND', of: ({ kind }) => kind },
  { heading: 'DOCUMENTS', isNumber: true, of: ({ documents }) => documents },
  { heading: 'FAILED', isNumber: true, of: ({ failed }) => failed },
  {
    heading: 'READ',
    of: ({ refreshedAtMs, isUnfinished }) => (isUnfinished ? 'unfinished' : toTime(refreshedAtMs)),
  },
  { heading: 'NEXT', of: ({ dueAtMs }) => toTime(dueAtMs) },
  { heading: 'LOCATION', of: ({ location }) => location },
];

/** `nestor index ls`. */
export async function listSources(tools: IndexTools, isJson: boolean, { out }: IndexParts): Promise<number> {
  const kept = await tools.sources.list();
  const rows = await Promise.all(
    kept.map(
      async ({ id, kind, location, everyMs, refreshedAtMs, dueAtMs, begunAtMs, outcome }): Promise<Row> => {
        const { failed = null } = JSON.parse(outcome ?? '{}') as { readonly failed?: number };
        const documents = await tools.corpus.count(id);
        const isUnfinished = begunAtMs !== null;
        return { id, kind, location, documents, failed, everyMs, refreshedAtMs, dueAtMs, isUnfinished };
      },
    ),
  );
  printRecords(out, rows, columns, isJson);
  return exitCodes.done;
}

/** `nestor index rm`. */
export async function removeSource(
  tools: IndexTools,
  word: string,
  isJson: boolean,
  parts: IndexParts,
): Promise<number> {
  const { id, location } = await findSource(tools, word, parts);
  const documents = await tools.corpus.count(id);
  await tools.sources.remove(id);
  if (isJson) printJson(parts.out, { id, location, removed: documents });
  else parts.out.write(`${oneLine(location)}: ${documents} removed\n`);
  return exitCodes.done;
}
