import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';
import { isName } from './by-name.ts';

/**
 * What the pages beside a page are called. Where each has the name of another thing (`undici`, `p-limit`), a question names the one that
 * it means; where they are called by what they are about ("Rate limits"), all are about one thing, and "How do I start it?" is enough.
 */
export type Titles = 'names' | 'topics' | 'unclear';

/** A site where this share of the titles are names is one of things; of Nestor's guide one in ten is, of the READMEs of packages six. */
const namedMin = 0.2;
/** One page says nothing of the others, nor does a site of which hardly anything was found, as by a search of the web. */
const pagesMin = { ofNames: 2, ofTopics: 3 };
const shareMin = 1 / 3;

export function titlesBeside(
  { url }: SourcePassage,
  sources: readonly SourcePassage[],
  vectors: WordVectors,
): Titles {
  const site = siteOf(url);
  const beside = sources.filter((one) => siteOf(one.url) === site);
  const named = beside.filter(({ title }) => isName(title.trim(), vectors)).length;
  if (named >= namedMin * beside.length) return named >= pagesMin.ofNames ? 'names' : 'unclear';
  return beside.length >= pagesMin.ofTopics && beside.length >= shareMin * sources.length
    ? 'topics'
    : 'unclear';
}

/** The scheme and the host; files have one site together. */
const siteOf = (url: string): string => url.split('/', 3).join('/');
