import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, toUrl } from '../../wire-query.ts';

const queryCharsMax = 200;

/** Words only: the register reads everything else as a query language. */
export function toRequest(base: string, query: SearchQuery): EngineRequest {
  const words = cutWords(query.text, queryCharsMax).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const lower = words.map((word) => (/^(?:AND|OR|NOT|TO)$/.test(word) ? word.toLowerCase() : word));
  const url = toUrl(base, '/v3.0/expanded-search/', { q: lower.join(' '), start: 0, rows: query.hitsMax });
  return { url, headers: { accept: 'application/json' } };
}
