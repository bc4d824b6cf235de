import { raceSignal } from '../../kernel/kit/abort.ts';
import type { Caller } from '../../kernel/kit/caller.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { createCache } from './cache.ts';
import { pageKey } from './fusion.ts';
import { PageError, type Page, type PageReader } from './page.ts';

/** Part of a page that is kept. */
export type ReadPage = Pick<Page, 'title' | 'text' | 'date' | 'lastUpdated' | 'language'>;

interface PagesOptions {
  readonly reader: PageReader;
  readonly clock: Clock;
  /** For all pages of one search together. Unit: ms. */
  readonly timeoutMs: number;
  readonly cacheMs: number;
  readonly onFailure: OnFailure;
}

interface Limits extends Caller {
  /** For all pages of one search together. */
  readonly deadline: AbortSignal;
}

const lanes = 8;
/** Of one page, from its beginning: choosing passages from so much takes a few milliseconds. Unit: tokens. */
const tokensMax = 20_000;
const pagesMax = 500;
const cacheCharsMax = 32_000_000;
/** A page that failed is not asked for again by the next queries of the same caller. Unit: ms. */
const failedMs = 60_000;

/** Reads pages that were found, few at a time, until the time is over; later ones come from the cache alone. */
export function createPages({ reader, clock, timeoutMs, cacheMs, onFailure }: PagesOptions) {
  const cache = createCache<ReadPage | null>({
    clock,
    entriesMax: pagesMax,
    weightMax: cacheCharsMax,
    weightOf: (page) => page?.text.length ?? 1,
  });

  const readOne = async (url: string, { signal, deadline, account }: Limits): Promise<ReadPage | null> => {
    if (!/^https?:/.test(url)) return null;
    const key = pageKey(url);
    const known = cache.get(key);
    if (known !== undefined || deadline.aborted) return known ?? null;
    const within = AbortSignal.any([signal, deadline]);
    try {
      const { title, text, date, lastUpdated, language } = await raceSignal(
        reader.read(url, within, { account, tokensMax }),
        within,
      );
      const page = { title, text, date, lastUpdated, language };
      cache.set(key, page, cacheMs);
      return page;
    } catch (error) {
      if (signal.aborted) throw error;
      onFailure('page', error);
      // The deadline and a full queue say nothing of the page: the next search may well read it.
      const isTransient = deadline.aborted || (error instanceof PageError && error.reason === 'busy');
      if (!isTransient) cache.set(key, null, Math.min(failedMs, cacheMs));
      return null;
    }
  };

  return {
    /** One page per address, in order; null for an address that is null or could not be read. Rejects on an abort. */
    async read(urls: readonly (string | null)[], signal: AbortSignal, account: string) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const pages: (ReadPage | null)[] = urls.map(() => null);
      let next = 0;
      const lane = async () => {
        for (let place = next++; place < urls.length; place = next++)
          pages[place] = await readOne(urls[place] ?? '', { signal, deadline, account });
      };
      await Promise.all(Array.from({ length: Math.min(lanes, urls.length) }, lane));
      return pages;
    },
  };
}
