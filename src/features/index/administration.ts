import { setAsideReason } from './attempt.ts';
import { checkSource, refuseMore, type IndexOwner, type NewIndexSource } from './check-source.ts';
import { toRhythm } from './new-source.ts';
import { Refreshes, type RefreshState } from './refreshes.ts';
import type { IndexingContext } from './context.ts';
import { createAccountTexts, type AccountTexts } from './account-texts.ts';
import { refreshSource } from './refresh.ts';
import { toSource, type Outcome, type Progress, type SourceKind, type SourceOptions } from './source.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { SourceRow } from './store/sources.ts';

export interface IndexSource {
  readonly id: string;
  readonly kind: SourceKind;
  /** Null where every account finds it. */
  readonly accountId: string | null;
  readonly location: string;
  readonly options: SourceOptions;
  readonly every: string | null;
  readonly documents: number;
  /** Documents with vectors of the engine that is configured. */
  readonly embedded: number;
  readonly addedAtMs: number;
  readonly refreshedAtMs: number | null;
  /** Null while it is being read, and where no server reads it by itself. */
  readonly dueAtMs: number | null;
  readonly state: 'new' | 'queued' | 'running' | 'ready' | 'unfinished' | 'failed' | 'set_aside';
  /** Why the source itself could not be read, or is not read any more. */
  readonly error: string | null;
  /** Of a refresh in this process. Unit: documents. */
  readonly progress: Progress | null;
  /** Of the last refresh. */
  readonly outcome: Outcome | null;
}

/** Administration of the index. Every method rejects with a Fault that says what is wrong. */
export interface IndexAdministration {
  list(owner: IndexOwner): Promise<readonly IndexSource[]>;
  /** Adds a source, or gives the one at this place other options, and begins to read it. */
  add(
    owner: IndexOwner,
    source: NewIndexSource,
  ): Promise<{ readonly source: IndexSource; readonly isNew: boolean }>;
  /** Begins to read what changed. */
  refresh(owner: IndexOwner, id: string): Promise<IndexSource>;
  /** With all of its documents. */
  remove(
    owner: IndexOwner,
    id: string,
  ): Promise<{ readonly id: string; readonly location: string; readonly documents: number }>;
  /** Documents that an account sends, and what it has. */
  readonly texts: AccountTexts;
}

/** Should this process end before it has read a source, the next look of any server finds it due. Unit: ms. */
const takeOverMs = 30_000;

/** The index as the operator reaches it over HTTP, beside commands and other servers on the same store. */
export function openIndexAdministration(
  context: IndexingContext,
  log: Log,
): IndexAdministration & { close(): Promise<void> } {
  const { sources, attempts, corpus, texts, clock } = context;
  const refreshes = new Refreshes({
    refresh: (source, signal, onProgress) => refreshSource(context, source, signal, onProgress),
    onFailed: ({ id, everyMs }) => sources.postpone(id, everyMs === null ? null : clock.now() + everyMs),
    clock,
    log,
  });

  async function find(owner: IndexOwner, id: string): Promise<SourceRow> {
    const row = await sources.find(id);
    if (row?.id !== id || (owner !== 'operator' && row.accountId !== owner.accountId))
      throw new Fault('not_found', 'source not found');
    if (row.kind === 'docs')
      throw new Fault('conflict', "Nestor's own pages are looked after by the server.");
    return row;
  }

  async function begin(row: SourceRow): Promise<IndexSource> {
    // First: a small source is read before this is written otherwise.
    await sources.postpone(row.id, clock.now() + takeOverMs);
    await attempts.resume(row.id);
    refreshes.begin(toSource(row));
    const embedded = await countEmbedded(context);
    return describe(context, { ...row, setAside: null }, embedded, refreshes.states().get(row.id), false);
  }

  return {
    list: (owner) => listAll(context, refreshes, owner),
    async add(owner, source) {
      const checked = await checkSource(context, owner, source);
      const known = await sources.find(checked.location, checked.accountId);
      if (known === undefined) await refuseMore(context, checked.accountId);
      return { source: await begin(await sources.ensure(checked)), isNew: known === undefined };
    },
    refresh: async (owner, id) => begin(await find(owner, id)),
    async remove(owner, id) {
      const { location, kind, accountId } = await find(owner, id);
      await refreshes.stop(id);
      const documents = await corpus.count(id);
      if (kind === 'texts') await texts.removeAll(accountId);
      await sources.remove(id);
      return { id, location, documents };
    },
    texts: createAccountTexts(context, (row) => begin(row)),
    close: () => refreshes.close(),
  };
}

async function listAll(
  context: IndexingContext,
  refreshes: Refreshes,
  owner: IndexOwner,
): Promise<readonly IndexSource[]> {
  const { sources, clock } = context;
  // Before the store is asked: a refresh that ends meanwhile is listed as under way, and not as if it had never been.
  const here = refreshes.states();
  const [leased, rows, embedded] = await Promise.all([
    sources.leased(clock.now()),
    sources.list(owner === 'operator' ? null : owner.accountId),
    countEmbedded(context),
  ]);
  return Promise.all(
    rows.map((row) => describe(context, row, embedded, here.get(row.id), leased.has(row.id))),
  );
}

/** Documents with vectors of the engine that is configured, by their source. */
export const countEmbedded = async ({
  vectors,
  embeddedBy,
}: Pick<IndexingContext, 'vectors' | 'embeddedBy'>): Promise<ReadonlyMap<string, number>> =>
  embeddedBy === null ? new Map() : vectors.countBySource(embeddedBy);

async function describe(
  { corpus }: Pick<IndexingContext, 'corpus'>,
  row: SourceRow,
  embedded: ReadonlyMap<string, number>,
  here: RefreshState | undefined,
  isLeased: boolean,
): Promise<IndexSource> {
  const { kind, options } = toSource(row);
  // One that failed here may have been read since, by its rhythm or by another process.
  const isOver = here?.state === 'failed' && (row.refreshedAtMs ?? 0) > here.atMs;
  const state = stateOf(row, isOver ? undefined : here?.state, isLeased);
  const isUnderWay = state === 'queued' || state === 'running';
  return {
    id: row.id,
    kind,
    accountId: row.accountId === '' ? null : row.accountId,
    location: row.location,
    options,
    every: row.everyMs === null ? null : toRhythm(row.everyMs),
    documents: await corpus.count(row.id),
    embedded: embedded.get(row.id) ?? 0,
    addedAtMs: row.addedAtMs,
    refreshedAtMs: row.refreshedAtMs,
    dueAtMs: isUnderWay ? null : row.dueAtMs,
    state,
    error: errorOf(row, state, here),
    progress: here?.state === 'running' ? here.progress : null,
    // The row of Nestor's own pages holds a version instead.
    outcome: kind === 'docs' || row.outcome === null ? null : (JSON.parse(row.outcome) as Outcome),
  };
}

function stateOf(
  { kind, begunAtMs, refreshedAtMs, setAside }: SourceRow,
  here: RefreshState['state'] | undefined,
  isLeased: boolean,
): IndexSource['state'] {
  if (here === 'queued' || here === 'running') return here;
  if (isLeased) return 'running';
  if (setAside !== null) return 'set_aside';
  if (here === 'failed') return here;
  if (begunAtMs !== null) return 'unfinished';
  // What an account sent is in the index with the answer.
  return refreshedAtMs === null && kind !== 'texts' ? 'new' : 'ready';
}

function errorOf(
  { setAside }: SourceRow,
  state: IndexSource['state'],
  here: RefreshState | undefined,
): string | null {
  if (state === 'set_aside' && setAside !== null) return setAsideReason(setAside);
  return state === 'failed' && here?.state === 'failed' ? here.error : null;
}
