import type { EngineRequest } from '../../engine-exchange.ts';
import { defineSearchEngine, publicSource } from '../../define-source.ts';
import type { SearchQuery } from '../../engine.ts';
import { toHits } from '../../hits.ts';
import { cutWords, publishedRange, toDay, toUrl } from '../../wire-query.ts';

const publicUrl = 'https://export.arxiv.org';
const queryCharsMax = 300;
const wordsMax = 12;

/** arXiv: preprints with their abstracts. */
export const arxiv = defineSearchEngine({
  type: 'arxiv',
  settings: publicSource,
  open: ({ url, calls, clock }) => ({
    name: 'arxiv',
    kinds: ['academic'],
    async search(query, signal) {
      // With the first search: a parser of XML is 40 modules, and most servers ask no arXiv.
      const { fromFeed } = await import('./feed.ts');
      const request = toRequest(url ?? publicUrl, query, clock.now());
      return calls.text(request, (xml) => toHits(fromFeed(xml), clock.now()), signal);
    },
    close: () => Promise.resolve(),
  }),
});

/** Words joined by AND: side by side they would be joined by OR, and the commonest word would decide. */
function toRequest(base: string, query: SearchQuery, nowMs: number): EngineRequest {
  const words = cutWords(query.text, queryCharsMax).match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
  const terms = words.filter(
    (word) => !/^(?:and|or|andnot|the|a|an|of|in|for|to|on|with|is|are|what|how)$/i.test(word),
  );
  const { from, to } = publishedRange(query.filters, nowMs);
  const compact = (day: string) => day.replaceAll('-', '');
  const range =
    from === null && to === null
      ? []
      : [`submittedDate:[${compact(from ?? '1991-01-01')}0000 TO ${compact(to ?? toDay(nowMs))}2359]`];
  const asked = terms.length === 0 ? words : terms;
  const url = toUrl(base, '/api/query', {
    search_query: [...asked.slice(0, wordsMax).map((word) => `all:${word}`), ...range].join(' AND '),
    start: 0,
    max_results: query.hitsMax,
    sortBy: 'relevance',
    sortOrder: 'descending',
  });
  return { url };
}
