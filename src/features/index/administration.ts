import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { setAsideReason } from './attempt.ts';
import {
  parsePatterns,
  parsePlace,
  parseRhythm,
  toNewSource,
  toRhythm,
  type SourcePlace,
} from './new-source.ts';
import { Refreshes, type RefreshState } from './refreshes.ts';
import type { IndexingContext } from './context.ts';
import { refreshSource } from './refresh.ts';
import {
  defaultOptions,
  toSource,
  type Outcome,
  type Progress,
  type SourceKind,
  type SourceOptions,
} from './source.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { SourceRow } from './store/sources.ts';

/** A folder or an address, and when it is read again. A field that is null or absent has its default. */
export interface NewIndexSource extends Partial<{
  [Name in keyof SourceOptions]: SourceOptions[Name] | null;
}> {
  readonly location: string;
  /** `30m`, `12h`, `1d`. */
  readonly every?: string | null;
}

export interface IndexSource {
  readonly id: string;
  readonly kind: SourceKind;
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

/** Administration of the index by the operator. Every method rejects with a Fault that says what is wrong. */
export interface IndexAdministration {
  list(): Promise<readonly IndexSource[]>;
  /** Adds a source, or gives the one at this place other options, and begins to read it. */
  add(source: NewIndexSource): Promise<{ readonly source: IndexSource; readonly isNew: boolean }>;
  /** Begins to read what changed. */
  refresh(id: string): Promise<IndexSource>;
  /** With all of its documents. */
  remove(id: string): Promise<{ readonly id: string; readonly location: string; readonly documents: number }>;
}

/** Should this process end before it has read a source, the next look of any server finds it due. Unit: ms. */
const takeOverMs = 30_000;

/** The index as the operator reaches it over HTTP, beside commands and other servers on the same store. */
export function openIndexAdministration(
  context: IndexingContext,
  log: Log,
): IndexAdministration & { close(): Promise<void> } {
  const { sources, attempts, corpus, clock } = context;
  const refreshes = new Refreshes({
    refresh: (source, signal, onProgress) => refreshSource(context, source, signal, onProgress),
    onFailed: ({ id, everyMs }) => sources.postpone(id, everyMs === null ? null : clock.now() + everyMs),
    clock,
    log,
  });

  async function find(id: string): Promise<SourceRow> {
    const row = await sources.find(id);
    if (row?.id !== id) throw new Fault('not_found', 'source not found');
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
    async list() {
      // Before the store is asked: a refresh that ends meanwhile is listed as under way, and not as if it had never been.
      const here = refreshes.states();
      const [leased, rows, embedded] = await Promise.all([
        sources.leased(clock.now()),
        sources.list(),
        countEmbedded(context),
      ]);
      return Promise.all(
        rows.map((row) => describe(context, row, embedded, here.get(row.id), leased.has(row.id))),
      );
    },
    async add(source) {
      const place = await toPlace(source.location);
      const options = toOptions(source, place);
      const everyMs = toEveryMs(source.every ?? null);
      const known = await sources.find(place.location);
      const row = await sources.ensure(toNewSource(place, options, everyMs, clock.now()));
      return { source: await begin(row), isNew: known === undefined };
    },
    refresh: async (id) => begin(await find(id)),
    async remove(id) {
      const { location } = await find(id);
      await refreshes.stop(id);
      const documents = await corpus.count(id);
      await sources.remove(id);
      return { id, location, documents };
    },
    close: () => refreshes.close(),
  };
}

/** Throws Fault `invalid_value`, as the other checks of a new source do. */
async function toPlace(word: string): Promise<SourcePlace> {
  const place = parsePlace(word, '/');
  if (place.kind === 'web') return place;
  const isFolder =
    isAbsolute(word) &&
    (await stat(place.location).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (isFolder) return place;
  const wanted =
    'location must be an absolute path of a folder on the server, or an http:// or https:// address';
  throw new Fault('invalid_value', wanted, { param: 'location' });
}

function toOptions(
  { depth, include, exclude, hosts, pagesMax }: NewIndexSource,
  { kind }: SourcePlace,
): SourceOptions {
  const param = hosts ? 'hosts' : 'pages_max';
  if (kind === 'folder' && (hosts || pagesMax))
    throw new Fault('invalid_value', `${param} belongs to addresses`, { param });
  parsePatterns(include ?? [], 'include');
  parsePatterns(exclude ?? [], 'exclude');
  return {
    depth: depth ?? null,
    include: include ?? [],
    exclude: exclude ?? [],
    hosts: hosts ?? [],
    pagesMax: pagesMax ?? defaultOptions.pagesMax,
  };
}

function toEveryMs(every: string | null): number | null {
  if (every === null) return null;
  const ms = parseRhythm(every);
  if (ms === null)
    throw new Fault('invalid_value', 'every must be a time such as 30m, 12h or 1d', { param: 'every' });
  return ms;
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
  { begunAtMs, refreshedAtMs, setAside }: SourceRow,
  here: RefreshState['state'] | undefined,
  isLeased: boolean,
): IndexSource['state'] {
  if (here === 'queued' || here === 'running') return here;
  if (isLeased) return 'running';
  if (setAside !== null) return 'set_aside';
  if (here === 'failed') return here;
  if (begunAtMs !== null) return 'unfinished';
  return refreshedAtMs === null ? 'new' : 'ready';
}

function errorOf(
  { setAside }: SourceRow,
  state: IndexSource['state'],
  here: RefreshState | undefined,
): string | null {
  if (state === 'set_aside' && setAside !== null) return setAsideReason(setAside);
  return state === 'failed' && here?.state === 'failed' ? here.error : null;
}
