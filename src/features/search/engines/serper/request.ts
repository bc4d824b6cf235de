import type { EngineRequest } from '../../engine-calls.ts';
import type { Filters, SearchQuery } from '../../engine.ts';
import { onlyLanguage, publishedRange, recencyWord, toUrl, withSites } from '../../wire-query.ts';

/** The service takes ten or a multiple, and charges twice for more than ten. */
const pageHits = 10;

export type SerperKind = 'search' | 'images' | 'videos';

export function toRequest(
  base: string,
  key: string,
  query: SearchQuery,
  kind: SerperKind,
  nowMs: number,
): EngineRequest {
  const { filters, place } = query;
  const tbs = rangeOf(filters, nowMs);
  const language = onlyLanguage(filters);
  const country = place?.country ?? null;
  const body = {
    q: withSites(query),
    num: Math.ceil(query.hitsMax / pageHits) * pageHits,
    ...(country === null ? {} : { gl: country.toLowerCase() }),
    ...(language === null ? {} : { hl: language }),
    ...(tbs === null ? {} : { tbs }),
  };
  return { url: toUrl(base, `/${kind}`, {}), headers: { 'x-api-key': key }, json: JSON.stringify(body) };
}

/** `qdr:d` for an age, `cdr:1,cd_min:1/31/2024,cd_max:2/28/2024` for days. */
function rangeOf(filters: Filters, nowMs: number): string | null {
  const word = recencyWord(filters.maxAgeMs, { hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y' });
  if (word !== null) return `qdr:${word}`;
  const { from, to } = publishedRange(filters, nowMs);
  if (from === null && to === null) return null;
  const bounds = [
    ...(from === null ? [] : [`cd_min:${american(from)}`]),
    ...(to === null ? [] : [`cd_max:${american(to)}`]),
  ];
  return ['cdr:1', ...bounds].join(',');
}

function american(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(month)}/${Number(date)}/${year}`;
}
