import { Fault } from '../../../kernel/faults.ts';
import { roundRobin } from '../fusion.ts';
import type { SearchKind, SearchQuery } from '../engine.ts';
import { toBudget, type Found, type TextBudget } from '../search.ts';
import { cutToSentence, shareTokens } from '../snippets.ts';
import { countTokens } from '../../../kernel/kit/words.ts';
import { findConflict, toFilters, type SearchFilterFields } from './filters.ts';
import { peopleMax, resultsMax, type SearchRequest, type SearchResult } from './schema.ts';

const resultsDefault = 10;

/** A request as the domain has it: one query per text, and the limits that all of them share. */
interface SearchJob {
  readonly queries: readonly SearchQuery[];
  readonly resultsMax: number;
  readonly budget: TextBudget;
}

/** Throws Fault `validation_failed` for what the schema cannot see: rules between fields. */
export function toJob(body: SearchRequest): SearchJob {
  const fields = withAliases(body);
  const conflict = findConflict(fields);
  if (conflict !== null) throw refusal(conflict.param, conflict.message, 'value_error');
  const isPeople = body.search_type === 'people';
  const wanted = body.max_results ?? resultsDefault;
  const wantedMax = isPeople ? peopleMax : resultsMax;
  if (wanted > wantedMax)
    throw refusal('max_results', `Input should be less than or equal to ${wantedMax}`, 'less_than_equal');
  const country = body.country?.toUpperCase() ?? null;
  const kind: SearchKind = isPeople ? 'people' : (body.search_mode ?? 'web');
  const shared = {
    kind,
    filters: toFilters(fields),
    place: country === null ? null : { country, region: null, city: null, latitude: null, longitude: null },
    safe: true,
    hitsMax: wanted,
  };
  const texts = typeof body.query === 'string' ? [body.query] : body.query;
  return {
    queries: texts.map((text) => ({ ...shared, text })),
    resultsMax: wanted,
    budget: toBudget(
      body.search_context_size ?? 'high',
      body.max_tokens ?? null,
      body.max_tokens_per_page ?? null,
    ),
  };
}

/** The names of older clients stand in where the others are absent. */
function withAliases(body: SearchRequest): SearchFilterFields {
  return {
    ...body,
    search_after_date_filter: body.search_after_date_filter ?? body.search_after_date ?? null,
    search_before_date_filter: body.search_before_date_filter ?? body.search_before_date ?? null,
  };
}

function refusal(param: string, msg: string, type: string): Fault {
  const details = [{ loc: ['body', param], msg, type }];
  return new Fault('validation_failed', `${param}: ${msg}`, { param, details });
}

/** Dates that are not known are absent, never null. */
export function toResult({ title, url, text, date, lastUpdated }: Found): SearchResult {
  return {
    title,
    url,
    snippet: text,
    ...(date === null ? {} : { date }),
    ...(lastUpdated === null ? {} : { last_updated: lastUpdated }),
  };
}

/**
 * Several rankings as one list: the first of each, then the second, each address once, and all texts together within the
 * budget, which each ranking alone was allowed to fill.
 */
export function toList(
  rankings: readonly (readonly Found[])[],
  { resultsMax: max, budget }: SearchJob,
): readonly Found[] {
  const list = roundRobin(rankings, max);
  const needs = list.map(({ text }) => countTokens(text));
  const shares = shareTokens(needs, budget.tokensMax);
  return list.map((found, place) => ({
    ...found,
    text: cutToSentence(found.text, shares[place] ?? 0),
  }));
}
