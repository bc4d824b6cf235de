import { XMLParser } from 'fast-xml-parser';
import { ResponseError } from '../../engine-calls.ts';
import type { Hit } from '../../engine.ts';
import { toHits } from '../../hits.ts';

const authorsMax = 5;

/** Entries of an Atom feed. An error is a feed as well, with one entry whose address leads to the manual. */
export function fromResponse(xml: string, nowMs: number): readonly Hit[] {
  const feed = child(parse(xml), 'feed');
  if (feed === null) throw new ResponseError('the answer is no Atom feed');
  const raw = list(feed['entry']).map((entry) => {
    const id = textOf(entry['id']);
    if (id.includes('/api/errors')) throw new ResponseError('the answer is an error');
    const names = list(entry['author']).map((author) => textOf(author['name']));
    const authors = names.length > authorsMax ? [...names.slice(0, authorsMax), 'and others'] : names;
    return {
      url: id.replace(/^http:/, 'https:'),
      title: textOf(entry['title']),
      snippet: `${authors.join(', ')}. ${textOf(entry['summary'])}`,
      date: textOf(entry['published']),
      lastUpdated: textOf(entry['updated']),
      language: 'en',
    };
  });
  return toHits(raw, nowMs);
}

type XmlNode = Readonly<Record<string, unknown>>;

function parse(xml: string): XmlNode {
  // Entities of a document's own are how XML explodes; the feed has none.
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    processEntities: true,
    maxNestedTags: 50,
  });
  try {
    const root: unknown = parser.parse(xml);
    if (isNode(root)) return root;
  } catch {
    // Told below: what the parser says repeats the answer.
  }
  throw new ResponseError('the answer is no XML');
}

function isNode(value: unknown): value is XmlNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function child(node: XmlNode, name: string): XmlNode | null {
  const value = node[name];
  return isNode(value) ? value : null;
}

function list(value: unknown): readonly XmlNode[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(/\s+/g, ' ').trim();
  return isNode(value) && typeof value['#text'] === 'string' ? value['#text'] : '';
}
