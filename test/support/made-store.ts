/**
 * Stores that have their tables already: making them took a server two fifths of the CPU time of its start (245 of 400 ms
 * with them, 150 without; measured on a busy machine). What makes them is looked at in test/storage.
 */
import { createHash } from 'node:crypto';
import { constants, existsSync, globSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docsLocation, switchOffDocs } from '../../src/features/index/docs.ts';
import { sourceId } from '../../src/features/index/source.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { Corpus } from '../../src/features/search/feature.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';

const sources = fileURLToPath(new URL('../../src/kernel/store/', import.meta.url));

/** `bare` as `openDatabase` leaves a new one; `without docs` as after `nestor index rm nestor:docs`. */
export type Kind = 'bare' | 'without docs';

const made = new Map<Kind, Promise<string>>();

/** Puts one into a data folder. */
export async function putStore(dataFolder: string, kind: Kind): Promise<void> {
  let path = made.get(kind);
  if (path === undefined) made.set(kind, (path = prepare(kind)));
  await copyFile(await path, join(dataFolder, 'nestor.db'), constants.COPYFILE_EXCL);
}

/** An open one in a folder that goes when it is closed: half the CPU time of making one in memory (measured). */
export async function openMadeStore(): Promise<Database> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'nestor-made-'));
  await putStore(dataFolder, 'bare');
  const database = await openDatabase('sqlite', { dataFolder });
  return {
    ...database,
    async close() {
      await database.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Keeps a server on it from reading the documentation after each start: a second of CPU. */
export async function leaveDocsOut(url: string, dataFolder = '/nowhere'): Promise<void> {
  const database = await openDatabase(url, { dataFolder });
  try {
    const context = { sources: new CorpusSources(database.db), corpus: new Corpus(database.db) };
    const [id, location] = [sourceId(docsLocation), docsLocation];
    await context.sources.ensure({ id, location, kind: 'docs', options: '{}', everyMs: null, addedAtMs: 0 });
    await switchOffDocs(context);
  } finally {
    await database.close();
  }
}

/** Made once and kept. Two processes may make it at the same time. */
async function prepare(kind: Kind): Promise<string> {
  const hash = createHash('sha256').update(`${process.version} ${process.getuid?.()} ${kind}`);
  for (const name of globSync('**/*.ts', { cwd: sources }).toSorted())
    hash.update(readFileSync(join(sources, name)));
  const kept = join(tmpdir(), `nestor-store-${hash.digest('hex').slice(0, 16)}.db`);
  if (existsSync(kept)) return kept;
  const folder = await mkdtemp(`${kept}-`);
  await (await openDatabase('sqlite', { dataFolder: folder })).close();
  if (kind === 'without docs') await leaveDocsOut('sqlite', folder);
  await rename(join(folder, 'nestor.db'), kept);
  await rm(folder, { recursive: true });
  return kept;
}
