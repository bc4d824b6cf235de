import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import { publicSource } from '../../define-source.ts';
import { joinFacts, listAt, listNames, objectAt, textAt, textsAt } from '../../hits.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, joinFilters, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 500;
const fields = 'DOI,URL,title,abstract,published,container-title,author';

/** Crossref: the register of published articles. */
export const crossref = defineWebEngine({
  type: 'crossref',
  settings: publicSource,
  kinds: ['academic'],
  publicUrl: 'https://api.crossref.org',
  search: {
    request: ({ text, filters, hitsMax }, { base, key, nowMs }) => {
      const { from, to } = publishedRange(filters, nowMs);
      const url = toUrl(base, '/works', {
        'query.bibliographic': cutWords(text, queryCharsMax),
        rows: hitsMax,
        select: fields,
        filter: joinFilters({ 'from-pub-date': from, 'until-pub-date': to }),
      });
      return key === null ? { url } : { url, headers: { 'crossref-plus-api-token': `Bearer ${key}` } };
    },
    read: (body) =>
      listAt(body, ['message', 'items']).map((work) => {
        const [title = null] = textsAt(work, 'title');
        const [venue] = textsAt(work, 'container-title');
        return {
          url: textAt(work, 'URL')?.replace(/^http:/, 'https:') ?? null,
          title,
          snippet: joinFacts([listNames(authorsOf(work)), venue, textAt(work, 'abstract')]),
          date: toDate(work),
        };
      }),
  },
});

function authorsOf(work: JsonObject): readonly string[] {
  return listAt(work, ['author'], true).map((author) =>
    [textAt(author, 'given'), textAt(author, 'family') ?? textAt(author, 'name')]
      .filter((part) => part !== null)
      .join(' '),
  );
}

/** Out of `[[2020, 5, 12]]`. A year alone, or a month, is not a day, and none is made up for it. */
function toDate(work: JsonObject): string | null {
  const parts = objectAt(work, 'published')?.['date-parts'];
  const [first] = Array.isArray(parts) ? (parts as readonly Json[]) : [];
  const [year, month, day] = Array.isArray(first) ? (first as readonly Json[]) : [];
  if (typeof year !== 'number' || typeof month !== 'number' || typeof day !== 'number') return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
