import { Fault } from '../../kernel/faults.ts';
import { PageError, type NewDocument } from '../search/feature.ts';
import type { IndexingContext, Refresh } from './context.ts';
import { defaultOptions, sourceId, type Source, type UsageCounter } from './source.ts';
import type { NewSource } from './store/sources.ts';
import type { StoredText } from './store/texts.ts';
import { hashOf } from './to-document.ts';

/** Stands for what an account sent among its sources. */
export const textsLocation = 'nestor:texts';

const headsAtOnce = 100;

export type TextToIndex = Pick<StoredText, 'url' | 'title' | 'text' | 'language' | 'date'>;

/** The source that holds what an account sent. */
export function textsSource(accountId: string, nowMs: number): NewSource {
  return {
    id: sourceId(textsLocation, accountId),
    kind: 'texts',
    location: textsLocation,
    options: JSON.stringify(defaultOptions),
    everyMs: null,
    addedAtMs: nowMs,
    accountId,
  };
}

/** Without vectors, which take long: it is found by its words at once. */
export function splitText(
  { maker, clock }: IndexingContext,
  text: TextToIndex,
  accountId: string,
  signal: AbortSignal,
): Promise<NewDocument> {
  return maker.split(toPage(text), originOf(text, sourceId(textsLocation, accountId), clock.now()), signal);
}

/**
 * Makes the documents of what an account sent that the index has not, or has with the vectors of another engine. What is
 * replaced or removed while its vectors are made stays replaced or removed.
 */
export async function refreshTexts(
  context: IndexingContext,
  source: Source,
  { begunAtMs, signal, onStep }: Refresh,
  counter: UsageCounter,
): Promise<void> {
  const { corpus, texts, maker, embeddedBy, clock } = context;
  for (let after = 0; ;) {
    const heads = await texts.heads(source.accountId, after, headsAtOnce);
    const known = await corpus.heads(
      source.id,
      heads.map(({ url }) => url),
    );
    for (const { id, url } of heads) {
      signal.throwIfAborted();
      const isKnown = known.has(url);
      const row =
        known.get(url)?.embeddedBy === embeddedBy ? undefined : await texts.find(source.accountId, id);
      if (row === undefined) {
        counter.unchanged++;
        continue;
      }
      try {
        const origin = originOf(row, source.id, Math.max(clock.now(), begunAtMs));
        const isPut = await texts.putDocument(row, await maker.toDocument(toPage(row), origin, signal));
        counter[isPut ? (isKnown ? 'changed' : 'added') : 'unchanged']++;
      } catch (error) {
        counter.fail(url, reasonOf(error));
      }
    }
    onStep(counter.done);
    const last = heads.at(-1);
    if (last === undefined) return;
    after = last.ordinal;
  }
}

/** Why a document was not kept, where it is a matter of the document and not of its source. Throws all else. */
export function reasonOf(error: unknown): string {
  if (error instanceof PageError) return error.reason;
  if (error instanceof Fault && error.code === 'storage_quota_exceeded') return 'quota';
  throw error;
}

const originOf = (
  { url, title, text, language, date }: TextToIndex,
  ofSource: string,
  fetchedAtMs: number,
) => ({
  sourceId: ofSource,
  url,
  hash: hashOf(JSON.stringify([title, text, language, date])),
  etag: null,
  lastModified: null,
  fetchedAtMs,
});

const toPage = ({ title, text, language, date }: TextToIndex) => ({
  title,
  text,
  language,
  date,
  lastUpdated: null,
});
