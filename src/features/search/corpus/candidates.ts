import { sql, type RawBuilder } from 'kysely';
import { toEngineName } from '../../../kernel/engine-names.ts';

/** Inclusive, `YYYY-MM-DD`. A document without the date fails. */
export interface DateRange {
  readonly publishedAfter: string | null;
  readonly publishedBefore: string | null;
  readonly updatedAfter: string | null;
  readonly updatedBefore: string | null;
}

export interface CandidateOptions {
  /** Host names; sub-domains match. Empty allows all. */
  readonly allowDomains: readonly string[];
  readonly denyDomains: readonly string[];
  /** ISO 639-1; a document of an unknown language passes. */
  readonly languages: readonly string[];
  readonly dates: DateRange;
  /** Whose documents are found beside those of all; empty for nobody's. */
  readonly accountId: string;
  /** Null is every source. */
  readonly sourceIds?: readonly string[] | null;
  readonly passagesMax: number;
  /** False where words alone rank: frequent words are then scored as well, however long it takes. Default true. */
  readonly isRankedByMeaning?: boolean;
  /** What the query means, for stores that find by it; null where that is not known. */
  readonly meaning?: Promise<QueryVector | null>;
}

/** Passages that are found by their meaning alone, beside those by words. */
export const nearestMax = 40;
/** How many of them are looked at where filters take some away again: neither signs nor pgvector 0.6 know of filters. */
export const searchedToFilter = 400;

/** The vector of a query, and the engine that made it. */
export interface QueryVector {
  /** No more than are stored of a vector, where passages have several. */
  readonly values: Float32Array;
  readonly embeddedBy: string;
}

/** What an engine of embeddings made of a passage. */
export interface StoredVector {
  /** One signed byte a value, of which only the direction counts; null where none was computed. */
  readonly vector: Uint8Array | null;
  readonly embeddedBy: string | null;
}

export interface FoundPassage extends StoredVector {
  /** 1,024 times the document's number, plus the place of the passage in it. */
  readonly id: number;
  /**
   * Score of its words; grows with the likeness. Comparable within one answer, equal for all that were not scored; 0 for one
   * that was found by its meaning alone.
   */
  readonly score: number;
  /** Whether every word of the query is in it. */
  readonly hasAll: boolean;
}

/** The first passage of a document, which mostly tells what it is about. */
export interface Beginning extends StoredVector {
  readonly documentId: number;
}

export interface FoundTitle {
  readonly documentId: number;
  readonly score: number;
}

export interface Candidates {
  readonly passages: readonly FoundPassage[];
  readonly titles: readonly FoundTitle[];
}

/** On the table of documents under the name `d`; null when every date and source is allowed. */
export function toDocumentCondition({
  dates: { publishedAfter, publishedBefore, updatedAfter, updatedBefore },
  sourceIds = null,
}: Pick<CandidateOptions, 'dates' | 'sourceIds'>): RawBuilder<unknown> | null {
  const updated = sql`coalesce(d.last_updated, d.date)`;
  const conditions = [
    ...(publishedAfter === null ? [] : [sql`d.date >= ${publishedAfter}`]),
    ...(publishedBefore === null ? [] : [sql`d.date <= ${publishedBefore}`]),
    ...(updatedAfter === null ? [] : [sql`${updated} >= ${updatedAfter}`]),
    ...(updatedBefore === null ? [] : [sql`${updated} <= ${updatedBefore}`]),
    ...(sourceIds === null ? [] : [sql`d.source_id in (${sql.join(sourceIds)})`]),
  ];
  return conditions.length === 0 ? null : sql.join(conditions, sql` and `);
}

/** On the table of documents under the name `d`: those of all, and those of an account. */
export const isVisibleTo = (accountId: string): RawBuilder<unknown> =>
  accountId === '' ? sql`d.account_id = ''` : sql`d.account_id in ('', ${accountId})`;

/** All of that: what an account may find, and what is looked for. On the table of documents under the name `d`. */
export function toFilter(options: CandidateOptions): RawBuilder<unknown> {
  const { accountId, allowDomains, denyDomains, languages } = options;
  const isIn = (domains: readonly string[]) => sql.join(domains.map(isWithin), sql` or `);
  const others = toDocumentCondition(options);
  const conditions = [
    isVisibleTo(accountId),
    ...(allowDomains.length > 0 ? [sql`(${isIn(allowDomains)})`] : []),
    ...(denyDomains.length > 0 ? [sql`not (${isIn(denyDomains)})`] : []),
    ...(languages.length > 0 ? [sql`(d.language is null or d.language in (${sql.join(languages)}))`] : []),
    ...(others === null ? [] : [others]),
  ];
  return sql.join(conditions, sql` and `);
}

/** The domain itself, or one below it. */
const isWithin = (domain: string): RawBuilder<unknown> =>
  sql`substr('.' || d.domain, length(d.domain) - ${sql.lit(domain.length)} + 1) = ${`.${domain}`}`;

/** Whether filters take some of what an account may find away. */
export const hasFilters = ({
  allowDomains,
  denyDomains,
  languages,
  dates,
  sourceIds = null,
}: CandidateOptions): boolean =>
  allowDomains.length + denyDomains.length + languages.length > 0 ||
  sourceIds !== null ||
  Object.values(dates).some((date) => date !== null);

/** A passage as both stores select it. */
export type CandidateRow = Pick<FoundPassage, 'id' | 'score' | 'vector'> & {
  readonly embedded_by: string | null;
};

/** By the name of today: vectors of an engine that was renamed are still its own. */
export const toEmbeddedBy = (stored: string | null): string | null =>
  stored === null ? null : toEngineName(stored);

export function toFound({ embedded_by: embeddedBy, ...row }: CandidateRow): FoundPassage {
  return { ...row, embeddedBy: toEmbeddedBy(embeddedBy), hasAll: false };
}

/** Passages with some words, and those with all of them, each once with the higher score. */
export function mergePassages(
  some: readonly FoundPassage[],
  whole: readonly FoundPassage[],
): readonly FoundPassage[] {
  const merged = new Map(some.map((passage) => [passage.id, passage]));
  for (const passage of whole) {
    const score = Math.max(passage.score, merged.get(passage.id)?.score ?? 0);
    merged.set(passage.id, { ...passage, score, hasAll: true });
  }
  return [...merged.values()];
}
