import { readFile, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { every } from '../../kernel/kit/every.ts';
import { PageError, type DocumentHead, type NewDocument } from '../search/feature.ts';
import { attempt } from './attempt.ts';
import type { Leftovers, IndexingContext, Refresh } from './context.ts';
import { listFiles, typeOf } from './folder-files.ts';
import type { Source, UsageCounter } from './source.ts';
import { reasonOf } from './texts.ts';
import { hashOfBytes } from './to-document.ts';

const fileBytesMax = 20_971_520;
/** Files that are looked up together. */
const batchFiles = 6;
/** So that reading one, extracting one and making a document of one overlap, and a long one holds up few others. */
const batchesAtOnce = 4;
/** Vectors of a long file may take minutes, for which the others do not wait. Unit: ms. */
const putEveryMs = 1_000;

/** Brings the documents of a folder to what its files are. Throws Fault where the folder itself cannot be read. */
export async function refreshFolder(
  context: IndexingContext,
  source: Source,
  refresh: Refresh,
  counter: UsageCounter,
): Promise<void> {
  const { files, unreadable } = await listFiles(source.location, source.options);
  await keepSkipped(context, source, refresh);
  for (const folder of unreadable) {
    const url = `${pathToFileURL(folder).href}/`;
    await context.corpus.touchBelow(source.id, url, Math.max(context.clock.now(), refresh.begunAtMs));
    counter.fail(url, 'unreadable');
  }
  const onStep = () => refresh.onStep(files.length + unreadable.length);
  onStep();
  await refreshAll(context, source, files, { ...refresh, onStep }, counter);
}

/** Suspects each alone, then the others, several batches side by side. The first failure stops them all. */
async function refreshAll(
  context: IndexingContext,
  source: Source,
  paths: readonly string[],
  refresh: Refresh,
  counter: UsageCounter,
): Promise<void> {
  const { suspects, others } = parted(paths, refresh.leftovers, counter);
  const failing = new AbortController();
  const within = { ...refresh, signal: AbortSignal.any([refresh.signal, failing.signal]) };
  const readAll = async (batches: Iterable<readonly string[]>): Promise<void> => {
    for (const batch of batches) {
      within.signal.throwIfAborted();
      await refreshFiles(context, source, batch, within, counter);
      refresh.onStep(paths.length);
    }
  };
  await readAll(batchesOf(suspects, 1));
  const batches = batchesOf(others, batchFiles);
  const readers = Array.from({ length: batchesAtOnce }, () => readAll(batches));
  for (const reader of readers) reader.catch((error: unknown) => failing.abort(error));
  await Promise.allSettled(readers);
  failing.signal.throwIfAborted();
}

/** Keeps the documents of files that are not read any more. */
async function keepSkipped(
  { corpus, clock }: IndexingContext,
  { id }: Source,
  { begunAtMs, leftovers }: Refresh,
): Promise<void> {
  const heads = await corpus.heads(id, [...leftovers.skipped]);
  const ids = [...heads.values()].map((head) => head.id);
  await corpus.touch(ids, Math.max(clock.now(), begunAtMs));
}

/** Files at which a process ended once, and the others. */
function parted(
  paths: readonly string[],
  leftovers: Leftovers,
  counter: UsageCounter,
): { readonly suspects: readonly string[]; readonly others: readonly string[] } {
  if (leftovers.skipped.size + leftovers.suspects.size === 0) return { suspects: [], others: paths };
  const [suspects, others]: [string[], string[]] = [[], []];
  for (const path of paths) {
    const url = pathToFileURL(path).href;
    if (leftovers.skipped.has(url)) counter.fail(url, 'set_aside');
    else (leftovers.suspects.has(url) ? suspects : others).push(path);
  }
  return { suspects, others };
}

function* batchesOf(paths: readonly string[], files: number): Generator<readonly string[]> {
  for (let at = 0; at < paths.length; at += files) yield paths.slice(at, at + files);
}

async function refreshFiles(
  context: IndexingContext,
  source: Source,
  paths: readonly string[],
  { begunAtMs, signal }: Refresh,
  counter: UsageCounter,
): Promise<void> {
  const nowMs = Math.max(context.clock.now(), begunAtMs);
  const urls = paths.map((path) => pathToFileURL(path).href);
  const heads = await context.corpus.heads(source.id, urls);
  const kept: DocumentHead[] = [];
  const found = await Promise.all(
    paths.map((path, index) => {
      const url = urls[index] ?? '';
      return readChanged({ path, url, head: heads.get(url) }, context.embeddedBy, kept, counter);
    }),
  );
  const changed = found.filter((file) => file !== null);
  await attempt(
    context.attempts,
    source.id,
    changed.map(({ url }) => url),
    async () => {
      const made: MadeDocument[] = [];
      const putMade = async (): Promise<void> => {
        for (const group of groupsOf([...made])) {
          await putAll(context.corpus, group, counter);
          made.splice(0, group.length);
        }
      };
      const putting = every(putEveryMs, putMade);
      try {
        await Promise.all(
          changed.map(async (file) => {
            const document = await toDocument(context, file, source.id, { nowMs, signal }, counter);
            if (document === 'later' && file.head !== undefined) kept.push(file.head);
            if (document !== 'later' && document !== null) made.push(document);
          }),
        );
      } finally {
        await putting.close();
      }
      await putMade();
    },
  );
  await context.corpus.touch(
    kept.map(({ id }) => id),
    nowMs,
  );
}

/** Null for a file that is as its document, which is kept, and for one that cannot be read. */
async function readChanged(
  file: Pick<ChangedFile, 'path' | 'url' | 'head'>,
  embeddedBy: string | null,
  kept: DocumentHead[],
  counter: UsageCounter,
): Promise<ChangedFile | null> {
  const { path, url, head } = file;
  const bytes = await readBytes(path);
  if (typeof bytes === 'string') {
    // It may be readable again; its document stays.
    if (head !== undefined) kept.push(head);
    counter.fail(url, bytes);
    return null;
  }
  const hash = await hashOfBytes(bytes);
  if (head?.hash !== hash || head.embeddedBy !== embeddedBy) return { ...file, bytes, hash };
  kept.push(head);
  counter.unchanged++;
  return null;
}

/** All at once, or one by one where an account may not have them all. */
async function putAll(
  corpus: IndexingContext['corpus'],
  made: readonly MadeDocument[],
  counter: UsageCounter,
): Promise<void> {
  try {
    await corpus.put(made.map(({ document }) => document));
    for (const { isNew } of made) counter[isNew ? 'added' : 'changed']++;
  } catch (error) {
    const [first, ...others] = made;
    const reason = reasonOf(error);
    if (first === undefined || others.length === 0) counter.fail(first?.document.url ?? '', reason);
    else for (const one of made) await putAll(corpus, [one], counter);
  }
}

interface MadeDocument {
  readonly document: NewDocument;
  readonly isNew: boolean;
}

/** A file that differs from its document. */
interface ChangedFile {
  readonly path: string;
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly head: DocumentHead | undefined;
}

/** Documents in groups that hold the store for some 50 ms each. */
function* groupsOf(documents: readonly MadeDocument[]): Generator<readonly MadeDocument[]> {
  let group: MadeDocument[] = [];
  let passages = 0;
  for (const made of documents) {
    group.push(made);
    passages += made.document.passages.length;
    if (passages < passagesAtOnce) continue;
    yield group;
    group = [];
    passages = 0;
  }
  if (group.length > 0) yield group;
}

const passagesAtOnce = 150;

async function toDocument(
  { reader, maker }: IndexingContext,
  { path, url, bytes, hash, head }: ChangedFile,
  sourceId: string,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
  counter: UsageCounter,
): Promise<MadeDocument | 'later' | null> {
  const origin = { sourceId, url, hash, etag: null, lastModified: null, fetchedAtMs: nowMs };
  try {
    const page = await reader.extract(bytes, typeOf(path), url, signal);
    return { document: await maker.toDocument(page, origin, signal), isNew: head === undefined };
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    counter.fail(url, error.reason);
    // A busy machine is no reason to drop the document; the next refresh reads the file.
    return error.reason === 'busy' || error.reason === 'timeout' ? 'later' : null;
  }
}

/** Why not, in one word, where it cannot be read. */
async function readBytes(path: string): Promise<Uint8Array | 'too_large' | 'unreadable'> {
  try {
    if ((await stat(path)).size > fileBytesMax) return 'too_large';
    return await readFile(path);
  } catch {
    return 'unreadable';
  }
}
