import type { PageImage, PageLink } from '../page.ts';
import { canonicalAddress, toAddress } from './addresses.ts';
import { modifiedHeader, pairDates, toPageDate } from './dates.ts';
import { headingText } from './html-text.ts';
import type { PageHead } from './job.ts';
import { readJsonLd } from './json-ld.ts';
import { readRobotsTag, tidyLine, toLanguage } from './tidy.ts';

const linksMax = 3_000;
const imagesMax = 300;

const publishedNames = [
  'article:published_time', 'og:article:published_time', 'datepublished', 'date', 'dc.date.issued', 'dcterms.issued',
  'dc.date', 'dcterms.created', 'dcterms.date', 'citation_publication_date', 'citation_date', 'citation_online_date',
  'publish-date', 'publish_date', 'published_time', 'pubdate', 'parsely-pub-date', 'sailthru.date', 'article.published',
]; // prettier-ignore
const modifiedNames = [
  'article:modified_time', 'og:updated_time', 'datemodified', 'last-modified', 'lastmod', 'dcterms.modified',
  'dc.date.modified', 'revised', 'article.updated',
]; // prettier-ignore

/**
 * What the head of a document, its structured data and the head of the answer say about it. Relative addresses of the
 * page are relative to `base`.
 */
export function readMeta(document: Document, jsonLd: readonly string[], head: PageHead) {
  const named = metaNames(document);
  const one = (...names: readonly string[]) =>
    names.map((name) => named.get(name)).find((value) => value !== undefined) ?? null;
  const data = readJsonLd(jsonLd);
  const base = toAddress(document.querySelector('base[href]')?.getAttribute('href'), head.url) ?? head.url;
  const canonical =
    document.querySelector('link[rel~="canonical" i][href]')?.getAttribute('href') ??
    canonicalHeader(head.link);
  const title = titleOf(document, one('og:title', 'twitter:title', 'citation_title', 'dc.title'), data.title);
  return {
    base,
    canonicalUrl: canonicalAddress(toAddress(canonical, base), head.url),
    title,
    siteName: tidyLine(one('og:site_name', 'application-name') ?? data.siteName ?? '', 200) || null,
    language:
      toLanguage(
        document.documentElement.getAttribute('lang') ?? document.documentElement.getAttribute('xml:lang'),
      ) ?? toLanguage(one('content-language', 'og:locale', 'dc.language') ?? data.language ?? head.language),
    robots: readRobotsTag(`${one('robots') ?? ''},${head.robots ?? ''}`),
    ...datesOf(document, named, data, head),
  };
}

function datesOf(
  document: Document,
  named: ReadonlyMap<string, string>,
  data: ReturnType<typeof readJsonLd>,
  { nowMs, lastModified, sent }: PageHead,
) {
  const first = (texts: readonly (string | null | undefined)[]) =>
    texts.map((text) => toPageDate(text, nowMs)).find((date) => date !== null) ?? null;
  const names = (list: readonly string[]) => list.map((name) => named.get(name));
  const date = first([
    ...names(publishedNames.slice(0, 3)),
    data.published,
    ...names(publishedNames.slice(3)),
    ...publishedTimes(document),
  ]);
  const lastUpdated =
    first([
      ...names(modifiedNames),
      data.modified,
      timeOf(document, '[itemprop~="dateModified"], time.updated, time.modified'),
      changedTime(document),
    ]) ?? modifiedHeader(lastModified, sent, nowMs);
  return pairDates(date, lastUpdated);
}

/** Times that are marked as the publication, else the only time of the article: a list of news holds many. */
function publishedTimes(document: Document): (string | null)[] {
  const marked = timeOf(
    document,
    '[itemprop~="datePublished"], time[pubdate], time.published, time.entry-date, .dt-published',
  );
  const articles = document.querySelectorAll('article');
  const root = articles.length === 1 ? articles[0] : document.querySelector('main');
  const times = [...(root?.querySelectorAll('time[datetime]') ?? [])].slice(0, 20);
  const stamps = new Set(times.filter((time) => !isChange(time)).map(stampOf));
  return [marked, stamps.size === 1 ? ([...stamps][0] ?? null) : null];
}

/** The only time that says of itself, or in the words around it, that something changed then. */
function changedTime(document: Document): string | null {
  const times = [...document.querySelectorAll('time[datetime]')].slice(0, 200).filter(isChange);
  const stamps = new Set(times.map(stampOf));
  return stamps.size === 1 ? ([...stamps][0] ?? null) : null;
}

function isChange(time: Element): boolean {
  if (/dateModified/.test(time.getAttribute('itemprop') ?? '')) return true;
  if (/\b(?:updated|modified)\b/.test(time.getAttribute('class') ?? '')) return true;
  const before = time.previousSibling?.textContent?.slice(-40) ?? '';
  return /(?:updated|modified|edited|revised|changed|aktualisiert|ge\u00e4ndert|mis \u00e0 jour|actualizado)[^\p{L}]*(?:(?:on|am|le|el)\s*)?$/iu.test(
    before,
  );
}

function timeOf(document: Document, selector: string): string | null {
  const found = document.querySelector(selector);
  return found === null ? null : stampOf(found);
}

function stampOf(element: Element): string | null {
  const stamp = element.getAttribute('datetime') ?? element.getAttribute('content') ?? element.textContent;
  return stamp.slice(0, 100);
}

function metaNames(document: Document): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const meta of document.querySelectorAll('meta[content]')) {
    const name =
      meta.getAttribute('property') ??
      meta.getAttribute('name') ??
      meta.getAttribute('http-equiv') ??
      meta.getAttribute('itemprop');
    const content = meta.getAttribute('content')?.trim() ?? '';
    if (name !== null && content !== '' && !named.has(name.toLowerCase()))
      named.set(name.toLowerCase(), content.slice(0, 2_000));
  }
  return named;
}

/** The page's own title without the name of the site, which `title` elements carry before or behind. */
function titleOf(document: Document, named: string | null, headline: string | null): string {
  const meta = tidyLine(named ?? headline ?? '', 500);
  if (meta !== '') return meta;
  const headings = [...document.querySelectorAll('h1')].map((heading) => tidyLine(headingText(heading), 500));
  const heading = headings.find((text) => text !== '') ?? '';
  const title = tidyLine(document.querySelector('head > title, title')?.textContent ?? '', 500);
  if (title === '')
    return heading !== '' ? heading : tidyLine(document.querySelector('h2, h3')?.textContent ?? '', 500);
  if (heading.length > 3 && title.includes(heading)) return heading;
  const parts = title.split(/ [|\u2013\u2014\u00b7\u00bb:-] /);
  return parts.length > 1 && (parts[0]?.length ?? 0) >= 8 ? (parts[0] ?? title) : title;
}

function canonicalHeader(link: string | undefined): string | null {
  return (
    /<(?<url>[^<>]{1,2048})>\s*;[^,<]{0,200}\brel="?canonical/i.exec(link?.slice(0, 8_000) ?? '')?.groups?.[
      'url'
    ] ?? null
  );
}

export function collectLinks(root: ParentNode, base: string): PageLink[] {
  const links = new Map<string, string>();
  for (const anchor of root.querySelectorAll('a[href], area[href]')) {
    const url = toAddress(anchor.getAttribute('href'), base);
    if (url === null) continue;
    const text = tidyLine(anchor.textContent, 200);
    if ((links.get(url) ?? '') === '') links.set(url, text);
    if (links.size >= linksMax) break;
  }
  return [...links].map(([url, text]) => ({ url, text }));
}

export function collectImages(root: ParentNode, base: string): PageImage[] {
  const images = new Map<string, PageImage>();
  for (const image of root.querySelectorAll('img')) {
    const source = image.getAttribute('src') ?? '';
    const url = toAddress(source === '' || source.startsWith('data:') ? lazySource(image) : source, base);
    if (url === null || images.has(url)) continue;
    const alt = tidyLine(image.getAttribute('alt') ?? '', 300);
    images.set(url, {
      url,
      alt,
      width: pixels(image.getAttribute('width')),
      height: pixels(image.getAttribute('height')),
    });
    if (images.size >= imagesMax) break;
  }
  return [...images.values()];
}

function lazySource(image: Element): string | null {
  const set = image.getAttribute('srcset') ?? image.getAttribute('data-srcset');
  return (
    image.getAttribute('data-src') ??
    image.getAttribute('data-original') ??
    set?.trim().split(/[\s,]/, 1)[0] ??
    null
  );
}

function pixels(text: string | null): number | null {
  return /^\d{1,5}(?:px)?$/.test(text ?? '') ? Number.parseInt(text ?? '', 10) : null;
}
