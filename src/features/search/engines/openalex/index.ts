import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import { publicSource } from '../../define-source.ts';
import { joinFacts, listAt, listNames, numberAt, objectAt, textAt, type RawHit } from '../../hits.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, joinFilters, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 500;
const workFields =
  'id,doi,display_name,publication_date,language,primary_location,authorships,abstract_inverted_index';
const authorFields = 'id,orcid,display_name,works_count,cited_by_count,last_known_institutions,topics';
const wordsMax = 1_000;

/** OpenAlex: scholarly works, and the people who wrote them. */
export const openalex = defineWebEngine({
  type: 'openalex',
  settings: publicSource,
  kinds: ['academic', 'people'],
  publicUrl: 'https://api.openalex.org',
  search: {
    request: ({ text, kind, filters, hitsMax }, { base, key, nowMs }) => {
      const { from, to } = publishedRange(filters, nowMs);
      const filter = joinFilters({
        from_publication_date: from,
        to_publication_date: to,
        language: filters.languages.length === 0 ? null : filters.languages.join('|'),
      });
      const url = toUrl(base, kind === 'people' ? '/authors' : '/works', {
        search: cutWords(text, queryCharsMax),
        filter: kind === 'people' ? null : filter,
        'per-page': hitsMax,
        select: kind === 'people' ? authorFields : workFields,
        api_key: key,
      });
      return { url };
    },
    read: (body, { kind }) => listAt(body, ['results']).map(kind === 'people' ? toAuthor : toWork),
  },
});

function toWork(work: JsonObject): RawHit {
  const location = objectAt(work, 'primary_location');
  const authors = namesOf(listAt(work, ['authorships'], true).map((one) => objectAt(one, 'author')));
  const venue = textAt(objectAt(location, 'source'), 'display_name');
  return {
    url: textAt(location, 'landing_page_url') ?? textAt(work, 'doi') ?? textAt(work, 'id'),
    title: textAt(work, 'display_name'),
    snippet: joinFacts([authors, venue, toAbstract(objectAt(work, 'abstract_inverted_index'))]),
    date: textAt(work, 'publication_date'),
    language: textAt(work, 'language'),
  };
}

function toAuthor(author: JsonObject): RawHit {
  const topics = namesOf(listAt(author, ['topics'], true));
  const works = numberAt(author, 'works_count');
  const cited = numberAt(author, 'cited_by_count');
  const name = textAt(author, 'display_name');
  return {
    url: textAt(author, 'orcid') ?? textAt(author, 'id'),
    title: name,
    snippet: joinFacts([
      name,
      namesOf(listAt(author, ['last_known_institutions'], true)),
      topics && `Topics: ${topics}`,
      works === null ? null : `${works} works`,
      cited === null ? null : `cited ${cited} times`,
    ]),
  };
}

function namesOf(objects: readonly (JsonObject | null)[]): string {
  return listNames(objects.map((object) => textAt(object, 'display_name')).filter((name) => name !== null));
}

/** Abstracts come as the places of each word: `{ "The": [0, 7], "kea": [1] }`. */
function toAbstract(inverted: JsonObject | null): string {
  const words: string[] = [];
  for (const [word, places] of Object.entries(inverted ?? {})) {
    if (!Array.isArray(places)) continue;
    for (const place of places as readonly Json[])
      if (typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < wordsMax)
        words[place] = word;
  }
  return words.filter((word) => typeof word === 'string').join(' ');
}
