import { XMLParser } from 'fast-xml-parser';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import type { PageLink } from '../page.ts';
import { toAddress } from './addresses.ts';
import { decodeText } from './charset.ts';
import { pairDates, toPageDate } from './dates.ts';
import type { HtmlReader } from './html.ts';
import { UnreadableFile, type Found, type PageHead } from './job.ts';
import { tidyLine, toLanguage } from './tidy.ts';

const lengthMax = 8_000_000;
const itemsMax = 200;
const linksMax = 10_000;

/** Reads feeds as a list of their entries, sitemaps as their links, and other XML as the text of its elements. */
export function readXml(bytes: Uint8Array, head: PageHead, html: HtmlReader): Found {
  const root = parse(decodeText(bytes, head.charset).slice(0, lengthMax));
  const channel = child(child(root, 'rss'), 'channel') ?? child(root, 'feed');
  const rdf = child(root, 'rdf:RDF');
  if (channel !== null)
    return readFeed(channel, [...list(channel, 'item'), ...list(channel, 'entry')], head, html);
  if (rdf !== null) return readFeed(child(rdf, 'channel') ?? rdf, list(rdf, 'item'), head, html);
  const [pages, sitemaps] = [child(root, 'urlset'), child(root, 'sitemapindex')];
  if (pages !== null) return readSitemap(list(pages, 'url'), 'sitemap', head);
  if (sitemaps !== null) return readSitemap(list(sitemaps, 'sitemap'), 'sitemap-index', head);
  return { text: textsOf(root) };
}

function parse(source: string): JsonObject {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    parseTagValue: false,
    parseAttributeValue: false,
    htmlEntities: true,
    // No feed declares entities of its own; a thousand nested ones are how XML explodes.
    processEntities: {
      enabled: true,
      maxEntityCount: 20,
      maxEntitySize: 1_000,
      maxExpansionDepth: 4,
      maxTotalExpansions: 200_000,
      maxExpandedLength: 1_000_000,
    },
    maxNestedTags: 200,
  });
  try {
    const root: unknown = parser.parse(source);
    if (isJsonObject(root)) return root;
  } catch {
    // Reported below: the parser's message repeats the file.
  }
  throw new UnreadableFile('unreadable');
}

function readFeed(
  channel: JsonObject,
  items: readonly JsonObject[],
  head: PageHead,
  html: HtmlReader,
): Found {
  const links: PageLink[] = [];
  const plain = (node: JsonObject, ...names: readonly string[]) =>
    names.map((name) => html.readFragment(valueOf(node[name])).text.trim()).find((text) => text !== '') ?? '';
  const entries = items.slice(0, itemsMax).map((item) => {
    const title = tidyLine(plain(item, 'title'), 500);
    const url = toAddress(linkOf(item), head.url);
    const date = toPageDate(dateOf(item), head.nowMs);
    if (url !== null) links.push({ url, text: title });
    const body = plain(item, 'content:encoded', 'content', 'description', 'summary');
    return [title === '' ? '' : `## ${title}`, date ?? '', body].filter((part) => part !== '').join('\n\n');
  });
  const about = plain(channel, 'description', 'subtitle');
  const updated = valueOf(channel['lastBuildDate'] ?? channel['updated'] ?? channel['pubDate']);
  return {
    title: tidyLine(plain(channel, 'title'), 500),
    text: [about, ...entries].filter((part) => part !== '').join('\n\n'),
    language: toLanguage(valueOf(channel['language'] ?? channel['@xml:lang'])),
    ...pairDates(null, toPageDate(updated, head.nowMs)),
    links,
    truncated: items.length > itemsMax,
    listing: 'feed',
  };
}

function readSitemap(
  entries: readonly JsonObject[],
  listing: 'sitemap' | 'sitemap-index',
  { url }: PageHead,
): Found {
  const locations = entries.map((entry) => toAddress(valueOf(entry['loc']), url));
  const links = locations.filter((address) => address !== null);
  return {
    text: links.slice(0, linksMax).join('\n'),
    links: links.slice(0, linksMax).map((address) => ({ url: address, text: '' })),
    truncated: links.length > linksMax,
    listing,
  };
}

function child(node: JsonObject | null, name: string): JsonObject | null {
  const value = node?.[name];
  return isJsonObject(value) ? value : null;
}

function list(node: JsonObject, name: string): JsonObject[] {
  const value = node[name];
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isJsonObject);
}

function valueOf(value: unknown): string {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one === 'string') return one;
  return isJsonObject(one) && typeof one['#text'] === 'string' ? one['#text'] : '';
}

/** Of Atom the link to the page itself, of RSS the only one. */
function linkOf(item: JsonObject): string {
  const candidates = list(item, 'link');
  const own = candidates.find((link) => (link['@rel'] ?? 'alternate') === 'alternate');
  const address = own?.['@href'];
  return typeof address === 'string' ? address : valueOf(item['link']);
}

function dateOf(item: JsonObject): string {
  return valueOf(item['pubDate'] ?? item['published'] ?? item['dc:date'] ?? item['updated']);
}

function textsOf(root: JsonObject): string {
  const texts: string[] = [];
  const walk = (value: unknown, name: string): void => {
    if (name.startsWith('@') || name.startsWith('?')) return;
    if (typeof value === 'string') texts.push(value.trim());
    else if (Array.isArray(value)) for (const one of value as unknown[]) walk(one, name);
    else if (isJsonObject(value)) for (const [key, inner] of Object.entries(value)) walk(inner, key);
  };
  walk(root, '');
  return texts.filter((text) => text !== '').join('\n');
}
