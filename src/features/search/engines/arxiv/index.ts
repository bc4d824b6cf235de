import { XMLParser } from 'fast-xml-parser';
import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import { ResponseError, type EngineRequest } from '../../engine-exchange.ts';
import { defineSearchEngine, publicSource } from '../../define-source.ts';
import type { SearchQuery } from '../../engine.ts';
import { objectAt, toHits, type RawHit } from '../../hits.ts';
import { cutWords, publishedRange, toDay, toUrl } from '../../wire-query.ts';

const publicUrl = 'https://export.arxiv.org';
const queryCharsMax = 300;
const wordsMax = 12;
const authorsMax = 5;

/** arXiv: preprints with their abstracts. */
export const arxiv = defineSearchEngine({
  type: 'arxiv',
  settings: publicSource,
  open: ({ url, calls, clock }) => ({
    name: 'arxiv',
    kinds: ['academic'],
    search: (query, signal) =>
      calls.text(
        toRequest(url ?? publicUrl, query, clock.now()),
        (xml) => toHits(fromFeed(xml), clock.now()),
        signal,
      ),
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

/** Entries of an Atom feed. An error is a feed as well, with one entry whose address leads to the manual. */
function fromFeed(xml: string): readonly RawHit[] {
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
