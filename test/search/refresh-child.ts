import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { configuration } from '../../src/configuration.ts';
import { defaultOptions, sourceId, type SourceOptions } from '../../src/features/index/source.ts';
import { CorpusAttempts } from '../../src/features/index/store/attempts.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { putStore } from '../support/made-store.ts';
import { toArguments } from '../support/typescript-process.ts';
import type { TestScope } from '../support/server.ts';
import type { Refreshed, RefreshedPlace } from './refresh-place.ts';
import type { SourceRow } from '../../src/features/index/store/sources.ts';

/** How a refresh in a process of its own ended. */
export type Ending =
  | Refreshed
  /** `hung`: it did not end by itself. */
  | 'killed'
  | 'hung';

/** Ends a hang, and nothing else. */
const hangMs = 120_000;

async function withDatabase<Result>(
  { data }: RefreshedPlace,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { database: url, dataFolder } = configuration.load({
    env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' },
    cwd: data,
  });
  const database = await openDatabase(url, { dataFolder });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** In a store of its own, and due since long. */
export async function addPlace(
  place: RefreshedPlace,
  kind: 'folder' | 'web',
  options: Partial<SourceOptions> = {},
): Promise<void> {
  const { location } = place;
  const source = { id: sourceId(location), kind, location, everyMs: 1, addedAtMs: 0 };
  await putStore(place.data, 'bare');
  await withDatabase(place, ({ db }) =>
    new CorpusSources(db).ensure({ ...source, options: JSON.stringify({ ...defaultOptions, ...options }) }),
  );
}

export function rowOf(place: RefreshedPlace): Promise<SourceRow> {
  return withDatabase(place, async ({ db }) => {
    const row = await new CorpusSources(db).find(place.location);
    if (row === undefined) throw new Error(`no source ${place.location}`);
    return row;
  });
}

/** As `nestor index refresh SOURCE` does it. */
export function resume(place: RefreshedPlace): Promise<void> {
  return withAttempts(place, (attempts) => attempts.resume(sourceId(place.location)));
}

/** Whether a server would read it by itself some day. */
export function isDue(place: RefreshedPlace): Promise<boolean> {
  return withDatabase(
    place,
    async ({ db }) => (await new CorpusSources(db).due(Number.MAX_SAFE_INTEGER)) !== undefined,
  );
}

export function withAttempts(
  place: RefreshedPlace,
  work: (attempts: CorpusAttempts) => Promise<void>,
): Promise<void> {
  return withDatabase(place, ({ db }) => work(new CorpusAttempts(db)));
}

/** `onStart`: with the process, which may be killed. */
export async function refreshInProcess(
  t: TestScope,
  { data, location, host = '' }: RefreshedPlace,
  laterMs = 0,
  { onStart = () => {} }: { readonly onStart?: (child: ChildProcess) => void } = {},
): Promise<Ending> {
  const script = fileURLToPath(new URL('./refresh-process.ts', import.meta.url));
  const child = spawn(process.execPath, [...toArguments(script), data, location, host, String(laterMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
  });
  onStart(child);
  let isHung = false;
  const limit = setTimeout(() => {
    isHung = true;
    child.kill('SIGKILL');
  }, hangMs);
  let printed = '';
  for await (const chunk of child.stdout) printed += String(chunk);
  clearTimeout(limit);
  if (isHung) return 'hung';
  return printed === '' ? 'killed' : (JSON.parse(printed) as Exclude<Ending, string>);
}
