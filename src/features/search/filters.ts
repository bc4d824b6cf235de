import { domainToASCII } from 'node:url';
import type { Filters, Hit } from './engine.ts';
import { toDay } from './wire-query.ts';

/** The part of a hit that filters look at. */
type Datable = Pick<Hit, 'url' | 'date' | 'lastUpdated' | 'language'>;

/** Whether a hit passes. An unknown date fails a filter on it; an unknown language passes. */
export function passes(hit: Datable, filters: Filters, nowMs: number): boolean {
  return (
    isAllowedUrl(hit.url, filters) &&
    isAllowedLanguage(hit, filters) &&
    checkDates(hit, hit.lastUpdated ?? hit.date, filters, nowMs) === 'in'
  );
}

/** Whether a hit could still pass once the dates of its page are known. */
export function mayPass(hit: Datable, filters: Filters, nowMs: number): boolean {
  return (
    isAllowedUrl(hit.url, filters) &&
    isAllowedLanguage(hit, filters) &&
    checkDates(hit, hit.lastUpdated, filters, nowMs) !== 'out'
  );
}

/** Whether a filter needs the dates of a page. */
export function asksForDates(filters: Filters): boolean {
  const { publishedAfter, publishedBefore, updatedAfter, updatedBefore, maxAgeMs } = filters;
  return [publishedAfter, publishedBefore, updatedAfter, updatedBefore, maxAgeMs].some(
    (bound) => bound !== null,
  );
}

export function isFiltering(filters: Filters): boolean {
  const { allowDomains, denyDomains, languages } = filters;
  return asksForDates(filters) || allowDomains.length + denyDomains.length + languages.length > 0;
}

/** Allow first, then deny; sub-domains match. Unicode and ASCII forms of a name are the same. */
export function isAllowedUrl(url: string, { allowDomains, denyDomains }: Filters): boolean {
  if (allowDomains.length === 0 && denyDomains.length === 0) return true;
  const host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? '';
  const isAllowed = allowDomains.length === 0 || allowDomains.some((domain) => isWithin(host, domain));
  return isAllowed && !denyDomains.some((domain) => isWithin(host, domain));
}

function isWithin(host: string, domain: string): boolean {
  const name = domainToASCII(domain.toLowerCase().replace(/\.$/, ''));
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

function isAllowedLanguage({ language }: Datable, { languages }: Filters): boolean {
  return languages.length === 0 || language === null || languages.includes(language);
}

function checkDates(
  { date }: Datable,
  updated: string | null,
  filters: Filters,
  nowMs: number,
): 'in' | 'out' | 'unknown' {
  const { publishedAfter, publishedBefore, updatedAfter, updatedBefore, maxAgeMs } = filters;
  const youngest = maxAgeMs === null ? null : toDay(nowMs - maxAgeMs);
  const verdicts = new Set([
    checkRange(date, publishedAfter, publishedBefore),
    checkRange(date, youngest, null),
    checkRange(updated, updatedAfter, updatedBefore),
  ]);
  if (verdicts.has('out')) return 'out';
  return verdicts.has('unknown') ? 'unknown' : 'in';
}

function checkRange(day: string | null, from: string | null, to: string | null): 'in' | 'out' | 'unknown' {
  if (from === null && to === null) return 'in';
  if (day === null) return 'unknown';
  return (from === null || day >= from) && (to === null || day <= to) ? 'in' : 'out';
}
