import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, publishedRange, toDay, toUrl } from '../../wire-query.ts';

const queryCharsMax = 300;
/** The full text is searchable from here on. */
const firstDay = '2001-01-01';

export function toRequest(base: string, query: SearchQuery, nowMs: number): EngineRequest {
  const { from, to } = publishedRange(query.filters, nowMs);
  const hasRange = from !== null || to !== null;
  const url = toUrl(base, '/LATEST/search-index', {
    q: cutWords(query.text, queryCharsMax),
    dateRange: hasRange ? 'custom' : null,
    startdt: hasRange ? (from ?? firstDay) : null,
    enddt: hasRange ? (to ?? toDay(nowMs)) : null,
  });
  return { url };
}
