import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Hit } from '../../engine.ts';
import { listAt, numberAt, objectAt, textAt, toHits } from '../../hits.ts';

const authorsMax = 5;
const wordsMax = 1_000;

export function fromWorks(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['results']).map((work) => {
    const location = objectAt(work, 'primary_location');
    const authors = namesOf(listAt(work, ['authorships'], true).map((one) => objectAt(one, 'author')));
    const venue = textAt(objectAt(location, 'source'), 'display_name');
    return {
      url: textAt(location, 'landing_page_url') ?? textAt(work, 'doi') ?? textAt(work, 'id'),
      title: textAt(work, 'display_name'),
      snippet: [authors, venue, toAbstract(objectAt(work, 'abstract_inverted_index'))]
        .filter((part) => part !== null && part !== '')
        .join('. '),
      date: textAt(work, 'publication_date'),
      language: textAt(work, 'language'),
    };
  });
  return toHits(raw, nowMs);
}

export function fromAuthors(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['results']).map((author) => {
    const institutions = namesOf(listAt(author, ['last_known_institutions'], true));
    const topics = namesOf(listAt(author, ['topics'], true));
    const works = numberAt(author, 'works_count');
    const cited = numberAt(author, 'cited_by_count');
    const name = textAt(author, 'display_name');
    const facts = [
      ...(institutions === '' ? [] : [institutions]),
      ...(topics === '' ? [] : [`Topics: ${topics}`]),
      ...(works === null ? [] : [`${works} works`]),
      ...(cited === null ? [] : [`cited ${cited} times`]),
    ];
    return {
      url: textAt(author, 'orcid') ?? textAt(author, 'id'),
      title: name,
      snippet: [name ?? '', ...facts].filter((part) => part !== '').join('. '),
    };
  });
  return toHits(raw, nowMs);
}

function namesOf(objects: readonly (JsonObject | null)[]): string {
  const names = objects.map((object) => textAt(object, 'display_name')).filter((name) => name !== null);
  return names.length > authorsMax ? `${names.slice(0, authorsMax).join(', ')} and others` : names.join(', ');
}

/** Abstracts come as the places of each word: `{ "The": [0, 7], "kea": [1] }`. */
function toAbstract(inverted: JsonObject | null): string {
  if (!isJsonObject(inverted)) return '';
  const words: string[] = [];
  for (const [word, places] of Object.entries(inverted)) {
    if (!Array.isArray(places)) continue;
    for (const place of places as readonly Json[])
      if (typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < wordsMax)
        words[place] = word;
  }
  return words.filter((word) => typeof word === 'string').join(' ');
}
