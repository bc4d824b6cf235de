import { XMLParser } from 'fast-xml-parser';
import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import { ResponseError } from '../../engine-exchange.ts';
import { objectAt, type RawHit } from '../../hits.ts';

const authorsMax = 5;

/** Entries of an Atom feed. An error is a feed as well, with one entry whose address leads to the manual. */
export function fromFeed(xml: string): readonly RawHit[] {
  const feed = objectAt(parse(xml), 'feed');
  if (feed === null) throw new ResponseError('the answer is no Atom feed');
  return list(feed['entry']).map((entry) => {
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
}

function parse(xml: string): JsonObject {
  // Entities of a document's own are how XML explodes; the feed has none.
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    processEntities: true,
    maxNestedTags: 50,
  });
  try {
    const root: unknown = parser.parse(xml);
    if (isJsonObject(root)) return root;
  } catch {
    // Reported below: the parser's message repeats the answer.
  }
  throw new ResponseError('the answer is no XML');
}

function list(value: unknown): readonly JsonObject[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isJsonObject);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(/\s+/g, ' ').trim();
  return isJsonObject(value) && typeof value['#text'] === 'string' ? value['#text'] : '';
}
