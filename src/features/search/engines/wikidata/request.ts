import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, onlyLanguage, toUrl } from '../../wire-query.ts';

/** The search takes 300 characters, the condition on humans included. */
const queryCharsMax = 250;

/** People only: items that are an instance (P31) of human (Q5). */
export function toRequest(base: string, query: SearchQuery): EngineRequest {
  const words = cutWords(query.text, queryCharsMax).replaceAll(/["~*?:\\!|()[\]{}]/g, ' ');
  const url = toUrl(base, '/w/api.php', {
    action: 'query',
    format: 'json',
    formatversion: 2,
    generator: 'search',
    gsrsearch: `${words} haswbstatement:P31=Q5`,
    gsrlimit: query.hitsMax,
    prop: 'entityterms',
    wbetterms: 'label|alias|description',
    wbetlanguage: onlyLanguage(query.filters) ?? 'en',
  });
  return { url };
}
