import { domainToASCII } from 'node:url';
import { Type, type Static } from 'typebox';
import { Fault } from '../../../kernel/faults.ts';
import { described, Nullable } from '../../../kernel/kit/schema.ts';
import { noFilters, type Filters } from '../engine.ts';

/*
 * The filters of chat, agent and search: their fields, the rules between them and what they mean. Contract 11.2. Which
 * status a violation has is a matter of the surface.
 */

const domainCharsMax = 253;
const day = 86_400_000;
const recencyMs = { hour: day / 24, day, week: 7 * day, month: 31 * day, year: 366 * day } as const;

/** ISO 639-1, all of it. */
const languages = new Set(
  (
    'aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo ' +
    'es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ' +
    'ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn ' +
    'no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta ' +
    'te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu'
  ).split(' '),
);

const Domain = Type.Refine(
  Type.String({ description: 'A host name; a leading "-" excludes it. Sub-domains match.' }),
  isDomain,
  () => 'Input should be a host name without scheme, path or port',
);
const Language = Type.Refine(
  Type.String({ description: 'ISO 639-1' }),
  (code) => languages.has(code.toLowerCase()),
  () => 'Input should be a two-letter ISO 639-1 code',
);
const CalendarDate = Type.Refine(
  Type.String({ description: 'MM/DD/YYYY or YYYY-MM-DD' }),
  (text) => toIsoDate(text) !== null,
  () => 'Input should be a date of the calendar as MM/DD/YYYY or YYYY-MM-DD',
);
const ImageFormat = Type.Refine(
  Type.String({ description: 'A name such as png, without dot' }),
  (name) => /^[a-z0-9]{2,8}$/.test(name),
  () => 'Input should be a lower-case name of a format without dot',
);

/** Two letters, ISO 3166-1. */
export const CountryCode = Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1, two letters' });

const DomainFilter = Type.Array(Domain, { maxItems: 20 });
const LanguageFilter = Type.Array(Language, { maxItems: 20 });
const RecencyFilter = Type.Enum(['hour', 'day', 'week', 'month', 'year']);
export const DateFilter = CalendarDate;
export const ImageDomainFilter = Type.Array(Domain, { maxItems: 10 });
export const ImageFormatFilter = Type.Array(ImageFormat, { maxItems: 10 });

/** Fields by their wire names, for an object schema; each may be absent or null. */
export const searchFilterFields = described(
  {
    search_domain_filter: Nullable(DomainFilter),
    search_language_filter: Nullable(LanguageFilter),
    search_recency_filter: Nullable(RecencyFilter),
    search_after_date_filter: Nullable(DateFilter),
    search_before_date_filter: Nullable(DateFilter),
    last_updated_after_filter: Nullable(DateFilter),
    last_updated_before_filter: Nullable(DateFilter),
  },
  {
    search_domain_filter: 'Host names; a leading `-` excludes one. Sub-domains match.',
    search_language_filter: 'Codes of ISO 639-1. Pages whose language is not known pass.',
    search_recency_filter: 'How old a page may be; not together with dates of publication.',
    search_after_date_filter:
      'First day of publication, as `MM/DD/YYYY` or `YYYY-MM-DD`. Pages without a date fail.',
    search_before_date_filter: 'Last day of publication.',
    last_updated_after_filter: 'First day of the last change; where none is known the publication counts.',
    last_updated_before_filter: 'Last day of the last change.',
  },
);

const Fields = Type.Object(searchFilterFields);
export type SearchFilterFields = Static<typeof Fields>;

/** What stands against each other in fields that are fine alone. */
interface FilterConflict {
  readonly param: keyof SearchFilterFields;
  readonly message: string;
}

export function findConflict(fields: SearchFilterFields): FilterConflict | null {
  const after = fields.search_after_date_filter ?? null;
  const before = fields.search_before_date_filter ?? null;
  if ((fields.search_recency_filter ?? null) !== null && (after !== null || before !== null)) {
    const message = 'cannot be combined with search_after_date_filter or search_before_date_filter';
    return { param: 'search_recency_filter', message };
  }
  if (isLater(after, before))
    return { param: 'search_after_date_filter', message: 'is later than search_before_date_filter' };
  if (isLater(fields.last_updated_after_filter ?? null, fields.last_updated_before_filter ?? null))
    return { param: 'last_updated_after_filter', message: 'is later than last_updated_before_filter' };
  return null;
}

/** Throws Fault `invalid_value`, which is 400, when fields stand against each other. */
export function refuseConflict(fields: SearchFilterFields): void {
  const conflict = findConflict(fields);
  if (conflict === null) return;
  throw new Fault('invalid_value', `${conflict.param} ${conflict.message}`, { param: conflict.param });
}

/** The filters that fields mean, once the schema and the rules between them accepted them. */
export function toFilters(fields: SearchFilterFields): Filters {
  const domains = fields.search_domain_filter ?? [];
  const recency = fields.search_recency_filter ?? null;
  return {
    ...noFilters,
    allowDomains: toDomains(domains.filter((domain) => !domain.startsWith('-'))),
    denyDomains: toDomains(
      domains.filter((domain) => domain.startsWith('-')).map((domain) => domain.slice(1)),
    ),
    languages: [...new Set((fields.search_language_filter ?? []).map((code) => code.toLowerCase()))],
    publishedAfter: dateOf(fields.search_after_date_filter),
    publishedBefore: dateOf(fields.search_before_date_filter),
    updatedAfter: dateOf(fields.last_updated_after_filter),
    updatedBefore: dateOf(fields.last_updated_before_filter),
    maxAgeMs: recency === null ? null : recencyMs[recency],
  };
}

/** Domains of `image_domain_filter` as filters on where pictures stand. */
export function toImageFilters(domains: readonly string[] | null | undefined): Filters {
  return toFilters({ search_domain_filter: [...(domains ?? [])] });
}

/** `3/7/2024`, `03/07/2024` or `2024-03-07` as `2024-03-07`; null for what is no day. */
export function toIsoDate(text: string): string | null {
  const found =
    /^(?<month>\d{1,2})\/(?<date>\d{1,2})\/(?<year>\d{4})$/.exec(text) ??
    /^(?<year>\d{4})-(?<month>\d{2})-(?<date>\d{2})$/.exec(text);
  if (found?.groups === undefined) return null;
  const { year = '', month = '', date = '' } = found.groups;
  const iso = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const time = new Date(`${iso}T00:00:00.000Z`);
  // 30 February is taken for 1 March, and 31/31 for no date at all.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(iso) ? iso : null;
}

function dateOf(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toIsoDate(text);
}

function isLater(after: string | null, before: string | null): boolean {
  const [from, to] = [dateOf(after), dateOf(before)];
  return from !== null && to !== null && from > to;
}

function isDomain(text: string): boolean {
  const name = text.startsWith('-') ? text.slice(1) : text;
  if (name === '' || name.length > domainCharsMax || /[\s/:@?#%\\[\]*]/.test(name)) return false;
  const ascii = domainToASCII(name);
  return (
    ascii.length <= domainCharsMax &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/.test(ascii)
  );
}

function toDomains(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => domainToASCII(name)))];
}
