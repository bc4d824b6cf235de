import { sql, type Kysely, type RawBuilder } from 'kysely';

import { countedRowsMax, quoted, type Frequencies } from './frequencies.ts';
import {
  mergePassages,
  toDocumentCondition,
  toFound,
  type CandidateOptions,
  type Candidates,
  type FoundPassage,
  type FoundTitle,
  type CandidateRow,
} from './candidates.ts';
import type { WordQuery } from './words.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/**
 * Rows that are scored per statement. BM25 costs 0.65 us a row (200,000 documents, one core), finding a row 0.02 us:
 * so frequent words choose no candidates of their own where rarer ones do.
 */
const scoredRowsMax = 2_000;

/**
 * A query of several words, the rarest of which stands in more passages than this, is not scored: BM25 walks through all
 * passages of each word before it scores the first. Of what has all words, or has the phrases, the newest are taken, and
 * their meaning ranks them.
 */
const frequentRowsMin = 1_000;
const unscoredMax = 150;
/** So many of each document, or one long document would be all that is found. */
const unscoredPerDocument = 3;

/** Of the documents of one account alone, or of those of all, whose account is empty: a query has the words of one of them. */
export async function findInSqlite(
  db: Kysely<Schema>,
  query: WordQuery,
  options: CandidateOptions,
  frequencies: Frequencies,
): Promise<Candidates> {
  const counts = await frequencies.of([...new Set([...query.words, ...query.phrases.flat()])]);
  const plan = toPlan(query, counts, options.isRankedByMeaning ?? true);
  if (plan.titles === '') return { passages: [], titles: [] };
  const facets = toFacetQuery(options);
  const where = toDocumentCondition(options);
  const { accountId, passagesMax } = options;
  const read = { db, accountId, condition: where };
  const find = (match: string) => passages(read, withFacets(match, 'text', facets), passagesMax);
  const { any, all, frequent } = plan;
  const [some, whole, newest, titles] = await Promise.all([
    any === '' || frequent !== '' ? [] : find(any),
    all === '' || frequent !== '' ? [] : find(all),
    frequent === '' ? [] : unscored(read, withFacets(frequent, 'text', facets)),
    titled(read, withFacets(plan.titles, 'title', facets), passagesMax),
  ]);
  if (frequent === '') return { passages: mergePassages(some, whole), titles };
  // Enough of what has all words leaves no place for what has one.
  const isEnough = newest.length >= passagesMax || any === frequent;
  const others = isEnough ? [] : await find(any);
  const score = Math.max(...others.map((passage) => passage.score), 1e-6);
  const scored = newest.map((passage) => ({ ...passage, score }));
  return { passages: mergePassages(others, scored), titles };
}

interface Plan {
  /** Words that choose candidates. */
  readonly any: string;
  /** All words; empty when that is the same. */
  readonly all: string;
  readonly titles: string;
  /** Words whose passages are taken without scores, because all are so frequent that meaning is to rank; else empty. */
  readonly frequent: string;
}

/**
 * The rarest words choose, as many as may be scored; all words together choose as well, so that what has them all is
 * never missed because each is frequent.
 */
function toPlan(
  { words, phrases, compounds }: WordQuery,
  counts: ReadonlyMap<string, number>,
  isRankedByMeaning: boolean,
): Plan {
  const rows = phrases.map((phrase) => quoted(phrase.join(' ')));
  const known = words
    .filter((word) => (counts.get(word) ?? 0) > 0)
    .toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  let sum = 0;
  const drivers = known.filter((word, index) => {
    sum += counts.get(word) ?? 0;
    return index === 0 || sum <= scoredRowsMax;
  });
  const compoundRows = compounds.map((words) => quoted(words.join(' ')));
  const free = [...drivers.map(quoted), ...compoundRows];
  const required = rows.join(' AND ');
  const any = rows.length > 0 ? required : free.join(' OR ');
  const everything = [...rows, ...known.map(quoted)];
  const titleWords = [...rows, ...words.map(quoted), ...compoundRows];
  const all = everything.length > 1 ? everything.join(' AND ') : '';
  const isFrequent =
    phrases.length > 0
      ? words.length === 0 && phrases.flat().every((word) => (counts.get(word) ?? 0) > frequentRowsMin)
      : known.length > 1 && compounds.length === 0 && (counts.get(known[0] ?? '') ?? 0) > frequentRowsMin;
  return {
    any,
    all,
    titles: rows.length > 0 ? required : titleWords.join(' OR '),
    frequent: isRankedByMeaning && isFrequent ? (rows.length > 0 ? any : all) : '',
  };
}

function withFacets(match: string, kind: 'text' | 'title', facets: readonly string[]): string {
  const columns = kind === 'text' ? '{heading text}' : '{title headings}';
  return [`${columns} : (${match})`, ...facets].join(' ');
}

/** A site of every level of a host, and the language, as words of the column `facets`. */
export function toFacets(domain: string, language: string | null): string {
  const labels = domain.split('.');
  const domains = labels.map((_, index) => domainFacet(labels.slice(index).join('.')));
  return [...domains, languageFacet(language)].join(' ');
}

// The digit at the end keeps the stemmer off.
function domainFacet(domain: string): string {
  return `xd${domain
    .toLowerCase()
    .replaceAll('.', 'qz')
    .replaceAll(/[^\p{L}\p{N}]/gu, 'qy')}0`;
}

function languageFacet(language: string | null): string {
  return `xl${language ?? 'none'}0`;
}

function toFacetQuery({ allowDomains, denyDomains, languages }: CandidateOptions): readonly string[] {
  const oneOf = (words: readonly string[]) => `facets : (${words.map(quoted).join(' OR ')})`;
  return [
    ...(allowDomains.length > 0 ? [`AND ${oneOf(allowDomains.map(domainFacet))}`] : []),
    ...(languages.length > 0 ? [`AND ${oneOf([...languages, null].map(languageFacet))}`] : []),
    ...(denyDomains.length > 0 ? [`NOT ${oneOf(denyDomains.map(domainFacet))}`] : []),
  ];
}

interface Read {
  readonly db: Kysely<Schema>;
  readonly accountId: string;
  readonly condition: RawBuilder<unknown> | null;
}

/** Newest documents first where there are too many to be scored. */
function passages(read: Read, match: string, limit: number): Promise<FoundPassage[]> {
  const { condition } = read;
  return found(
    read,
    sql`select id, -cost as score from
      (select t.rowid as id, bm25(corpus_texts, 0.0, 2.0, 1.0) as cost from corpus_texts t ${joinOf(condition, 'text')}
        where t.corpus_texts match ${match} ${andOf(condition)} order by t.rowid desc limit ${scoredRowsMax})
      order by cost limit ${limit}`,
  );
}

/** The newest, however much they say of it. Rows come one by one, so that the walk ends with the last one wanted. */
function unscored(read: Read, match: string): Promise<FoundPassage[]> {
  const { condition } = read;
  return found(
    read,
    sql`select id, 0.0 as score from
      (select id, lag(id, ${sql.lit(unscoredPerDocument)}) over (order by id desc) as earlier from
        (select t.rowid as id from corpus_texts t ${joinOf(condition, 'text')}
          where t.corpus_texts match ${match} ${andOf(condition)} order by t.rowid desc limit ${countedRowsMax}))
      where earlier is null or earlier / 1024 <> id / 1024 limit ${unscoredMax}`,
  );
}

/**
 * `rows`: id and score. Their words are those of the account alone; that they are its documents is looked at once more.
 * SQLite keeps the order of a `cross join`: of a plain one it walked all documents of the account, 7 ms for 200,000.
 */
async function found({ db, accountId }: Read, rows: RawBuilder<unknown>): Promise<FoundPassage[]> {
  const { rows: read } =
    await sql<CandidateRow>`select c.id, c.score, p.vector, e.embedded_by from (${rows}) c
      cross join corpus_passages p on p.id = c.id
      cross join corpus_documents e on e.id = c.id / 1024 and e.account_id = ${accountId}`.execute(db);
  return read.map(toFound);
}

function joinOf(condition: RawBuilder<unknown> | null, kind: 'text' | 'title'): RawBuilder<unknown> {
  if (condition === null) return sql``;
  return kind === 'text'
    ? sql`cross join corpus_documents d on d.id = t.rowid / 1024`
    : sql`cross join corpus_documents d on d.id = t.rowid`;
}

function andOf(condition: RawBuilder<unknown> | null): RawBuilder<unknown> {
  return condition === null ? sql`` : sql`and ${condition}`;
}

async function titled(
  { db, accountId, condition }: Read,
  match: string,
  limit: number,
): Promise<FoundTitle[]> {
  const { rows } = await sql<FoundTitle>`select c."documentId", -c.score as score from (select * from
      (select t.rowid as "documentId", bm25(corpus_titles, 0.0, 2.0, 1.0) as score from corpus_titles t ${joinOf(condition, 'title')}
        where t.corpus_titles match ${match} ${andOf(condition)} order by t.rowid desc limit ${scoredRowsMax})
      order by score limit ${limit}) c
      cross join corpus_documents e on e.id = c."documentId" and e.account_id = ${accountId}
      order by c.score`.execute(db);
  return [...rows];
}
