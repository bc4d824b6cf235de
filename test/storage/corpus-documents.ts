import type { CandidateOptions, DateRange } from '../../src/features/search/corpus/candidates.ts';
import type { NewDocument, NewPassage } from '../../src/features/search/corpus/document.ts';
import { toIndexWords } from '../../src/features/search/corpus/words.ts';

/** Documents and queries of the suite of the corpus. */

export const start = 1_700_000_000_000;
export const anyDate: DateRange = {
  publishedAfter: null,
  publishedBefore: null,
  updatedAfter: null,
  updatedBefore: null,
};
export const everything: CandidateOptions = {
  allowDomains: [],
  denyDomains: [],
  languages: [],
  dates: anyDate,
  accountId: '',
  passagesMax: 20,
};

export function passageOf(
  text: string,
  heading = '',
  startAt = 0,
  vector: Uint8Array | null = null,
): NewPassage {
  return {
    heading,
    text,
    startAt,
    vector,
    words: { heading: toIndexWords(heading), text: toIndexWords(text) },
  };
}

export function documentOf(url: string, text: string, over: Partial<NewDocument> = {}): NewDocument {
  return {
    sourceId: 's1',
    url,
    domain: URL.parse(url)?.hostname ?? '',
    title: '',
    headings: '',
    language: null,
    date: null,
    lastUpdated: null,
    hash: `bytes of ${text}`,
    textHash: `text of ${text}`,
    etag: null,
    lastModified: null,
    embeddedBy: 'words',
    fetchedAtMs: start,
    passages: text === '' ? [] : [passageOf(text)],
    words: { title: toIndexWords(over.title ?? ''), headings: toIndexWords(over.headings ?? '') },
    ...over,
  };
}
