import { tidyLine } from './tidy.ts';

const tracking = /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_eid|mc_cid|igshid|_ga|ref_src)$/i;

const lengthMax = 2_048;

/** An http or https address in full, without fragment; null for anything else. */
export function toAddress(text: string | null | undefined, base: string): string | null {
  if (text === null || text === undefined || text.length > lengthMax) return null;
  const url = URL.parse(text.trim(), URL.canParse(base) ? base : undefined);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return url.href.length > lengthMax ? null : url.href;
}

/**
 * The address under which a page is kept. A page may name another one for itself on its own host only: it would
 * otherwise be quoted under the name of somebody else.
 */
export function canonicalAddress(named: string | null, url: string): string {
  const own = URL.parse(url);
  if (own === null) return url;
  const claimed = named === null ? null : URL.parse(named);
  if (claimed !== null && bareHost(claimed) === bareHost(own) && !isFrontPageOf(claimed, own))
    return claimed.href;
  for (const name of own.searchParams.keys().toArray())
    if (tracking.test(name)) own.searchParams.delete(name);
  own.hash = '';
  return own.href;
}

function bareHost(url: URL): string {
  return url.host.replace(/^www\./, '');
}

/** Broken templates name the front page on every page; the pages would all be taken for one. */
function isFrontPageOf(claimed: URL, own: URL): boolean {
  return claimed.pathname === '/' && claimed.search === '' && own.pathname.length > 1;
}

/** Of a page or file without a title, the last part of its address that names anything; empty where none does. */
export function fileName(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.findLast((part) => !/^(?:readme|index)\.\w+$/i.test(part)) ?? parts.at(-1) ?? '';
  try {
    return tidyLine(decodeURIComponent(name), 200);
  } catch {
    // A percent sign that escapes nothing: the name stays as it is.
    return tidyLine(name, 200);
  }
}
