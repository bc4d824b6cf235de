import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { findSource, warnSetAside } from './index-refresh.ts';
import { oneLine, printJson, printRecords, toTime, type Column } from '../../../kernel/commands/print.ts';
import { switchOffDocs } from '../docs.ts';
import type { IndexContext, IndexTools } from '../open-index.ts';
import type { SourceRow } from '../store/sources.ts';

interface Row extends Pick<
  SourceRow,
  'id' | 'kind' | 'location' | 'everyMs' | 'refreshedAtMs' | 'dueAtMs' | 'setAside'
> {
  /** Null where every account finds it. */
  readonly accountId: string | null;
  readonly documents: number;
  /** Those with vectors of the engine that is configured. */
  readonly embedded: number;
  readonly failed: number | null;
  /** A refresh is under way or was broken off. */
  readonly isUnfinished: boolean;
}

const columns: readonly Column<Row>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'KIND', of: ({ kind }) => kind },
  { heading: 'ACCOUNT', of: ({ accountId }) => accountId ?? '-' },
  { heading: 'DOCUMENTS', isNumber: true, of: ({ documents }) => documents },
  { heading: 'EMBEDDED', isNumber: true, of: ({ embedded }) => embedded },
  { heading: 'FAILED', isNumber: true, of: ({ failed }) => failed },
  {
    heading: 'READ',
    of: ({ refreshedAtMs, isUnfinished, setAside }) => {
      if (setAside !== null) return 'set aside';
      return isUnfinished ? 'unfinished' : toTime(refreshedAtMs);
    },
  },
  { heading: 'NEXT', of: ({ dueAtMs }) => toTime(dueAtMs) },
  { heading: 'LOCATION', of: ({ location }) => location },
];

/** `nestor index ls`. */
export async function listSources(
  tools: IndexTools,
  account: string | null,
  isJson: boolean,
  { out, err }: IndexContext,
): Promise<number> {
  const [kept, counts] = await Promise.all([tools.sources.list(account), tools.countEmbedded()]);
  const rows = await Promise.all(
    kept.map(async (source): Promise<Row> => {
      const { id, kind, location, everyMs, refreshedAtMs, dueAtMs, setAside } = source;
      const { failed = null } = JSON.parse(source.outcome ?? '{}') as { readonly failed?: number };
      const documents = await tools.corpus.count(id);
      const isUnfinished = source.begunAtMs !== null;
      const accountId = source.accountId === '' ? null : source.accountId;
      const known = { id, kind, accountId, location, documents, embedded: counts.get(id) ?? 0, failed };
      return { ...known, everyMs, refreshedAtMs, dueAtMs, isUnfinished, setAside };
    }),
  );
  printRecords(out, rows, columns, isJson);
  for (const row of isJson ? [] : kept) warnSetAside(row, err);
  return exitCodes.done;
}

/** `nestor index rm`. Nestor's own pages stay away then, also after a restart. */
export async function removeSource(
  tools: IndexTools,
  word: string,
  account: string | null,
  isJson: boolean,
  context: IndexContext,
): Promise<number> {
  const { id, kind, location, accountId } = await findSource(tools, word, account, context);
  const documents = kind === 'docs' ? await switchOffDocs(tools) : await tools.corpus.count(id);
  if (kind === 'texts') await tools.texts.removeAll(accountId);
  if (kind !== 'docs') await tools.sources.remove(id);
  if (isJson) printJson(context.out, { id, location, removed: documents });
  else context.out.write(`${oneLine(location)}: ${documents} removed\n`);
  return exitCodes.done;
}
