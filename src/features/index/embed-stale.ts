import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import type { CorpusVectors, PassageVector, StaleDocument } from '../search/feature.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { toStoredVector, type PassageEmbedder } from './to-document.ts';

export interface StaleOptions {
  readonly vectors: Pick<CorpusVectors, 'stale' | 'countStale' | 'passages' | 'put'>;
  readonly embedder: PassageEmbedder;
  /** Names this process among those that share the store. */
  readonly owner: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly signal: AbortSignal;
  /** Wait while the engine is busy or away. Unit: ms. */
  readonly retryMs?: number;
}

const defaultRetryMs = 60_000;
/** Documents that are looked at together; processes that share the store begin with different ones of them. */
const windowMax = 64;
const passagesAtOnce = 8;
/** Between two lines of the log. Unit: documents. */
const logEvery = 100;

/**
 * Gives documents that have no vectors, or those of another engine, those of this one: a document at a time, each whole
 * or not at all, so that a kill costs one. Searches go on by words meanwhile, and by meaning where there are vectors of
 * the engine. After each few passages it rests for as long as they took, and requests take turns with it.
 */
export async function embedStale(options: StaleOptions): Promise<void> {
  const { vectors, embedder, owner, log } = options;
  const documents = await vectors.countStale(embedder.name);
  if (documents === 0) return;
  log.info({ documents }, 'documents of the index get vectors of the engine of embeddings');
  const warn = warnOnce(log);
  let [done, failed] = [0, 0];
  // Each window begins behind the one before: those that are done are not looked at again.
  for (let afterId = 0; ;) {
    const window = await vectors.stale(embedder.name, afterId, windowMax);
    const last = window.at(-1);
    if (last === undefined) break;
    for (const { id } of inOrderOf(owner, window)) {
      if (!(await embedOne(id, options, warn))) failed++;
      else if (++done % logEvery === 0)
        log.info({ done, documents }, 'documents of the index have got vectors');
    }
    afterId = last.id;
  }
  log.info({ done, failed }, 'the index has vectors of the engine of embeddings');
}

type Warn = (error: unknown) => void;

function warnOnce(log: StaleOptions['log']): Warn {
  let hasWarned = false;
  return (error) => {
    if (!hasWarned) log.warn({ err: error }, 'a document of the index got no vectors');
    hasWarned = true;
  };
}

/** False for one that cannot be embedded; true also where another process was first. */
async function embedOne(id: number, options: StaleOptions, warn: Warn): Promise<boolean> {
  const { vectors, embedder, signal, retryMs = defaultRetryMs } = options;
  for (;;) {
    const [document] = await vectors.stale(embedder.name, id - 1, 1);
    if (document?.id !== id) return true;
    try {
      await vectors.put(document, embedder.name, await vectorsOf(document, options));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      warn(error);
      if (!willPass(error)) return false;
      await pause(retryMs, undefined, { signal, ref: false });
    }
  }
}

/** What is no matter of the document. */
const willPass = (error: unknown): boolean =>
  error instanceof Fault &&
  (error.code === 'service_unavailable' || error.code === 'gateway_timeout' || error.code === 'bad_gateway');

/** Another order for each process, so that two do not do the same. */
function inOrderOf(owner: string, window: readonly StaleDocument[]): readonly StaleDocument[] {
  const rank = ({ id }: StaleDocument) => hash('sha256', `${owner} ${id}`, 'hex');
  return window
    .map((document) => ({ document, rank: rank(document) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ document }) => document);
}

async function vectorsOf(
  { id, title }: StaleDocument,
  { vectors, embedder, signal }: StaleOptions,
): Promise<readonly PassageVector[]> {
  const passages = await vectors.passages(id);
  const made: PassageVector[] = [];
  for (let at = 0; at < passages.length; at += passagesAtOnce) {
    const slice = passages.slice(at, at + passagesAtOnce);
    const began = performance.now();
    const found = await embedder.embedPassages(
      slice.map(({ heading, text }) => ({ title, heading, text })),
      signal,
    );
    for (const [index, passage] of slice.entries())
      made.push({
        id: passage.id,
        vector: toStoredVector(found[index] ?? new Float32Array()),
      });
    await pause(performance.now() - began, undefined, { signal, ref: false });
  }
  return made;
}
