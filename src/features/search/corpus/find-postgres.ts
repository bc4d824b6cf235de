import { sql, type Kysely, type RawBuilder } from 'kysely';

import {
  mergePassages,
  toFilter,
  toFound,
  type CandidateOptions,
  type Candidates,
  type FoundPassage,
  type FoundTitle,
  type CandidateRow,
} from './candidates.ts';
import { documentOfPassage, quotedWord, toQuery, type Rarity, type WordWeight } from './rarity.ts';
import type { WordQuery } from './words.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** Rows that are scored per statement: `ts_rank` reads the words of each. The rarest words choose them. */
const scoredRowsMax = 2_000;
/** Words of a query that score, the rarest: each is looked for in every row. */
const scoringMax = 12;

export async function findInPostgres(
  db: Kysely<Schema>,
  query: WordQuery,
  options: CandidateOptions,
  rarity: Rarity,
): Promise<Candidates> {
  const weights = await rarity.of([...new Set([...query.words, ...query.phrases.flat()])]);
  const { any, all, titles: ofTitles, scored } = toPlan(query, weights);
  if (any === '') return { passages: [], titles: [] };
  const filter = toFilter(options);
  const documents = documentsOf(filter, options);
  const ask = { db, filter, documents, scored, limit: options.passagesMax };
  const [some, whole, titles] = await Promise.all([
    passages(ask, any),
    all === '' ? [] : passages(ask, all),
    titled(ask, ofTitles),
  ]);
  return { passages: mergePassages(some, whole), titles };
}

interface Plan {
  /** What chooses candidates. */
  readonly any: string;
  /** All words; empty when that is the same. */
  readonly all: string;
  readonly titles: string;
  readonly scored: readonly Scored[];
}

/** A word, or words in a row, and what it weighs. */
interface Scored {
  readonly query: string;
  readonly weight: number;
}

/**
 * The rarest words choose, as many as may be scored, or rows with frequent ones would be all that is scored; all words together
 * choose as well.
 */
function toPlan({ words, phrases, compounds }: WordQuery, weights: readonly WordWeight[]): Plan {
  const row = (one: readonly string[]) => `(${one.map(quotedWord).join(' <-> ')})`;
  const rarest = weights.toSorted((a, b) => a.count - b.count);
  let sum = 0;
  const drivers = rarest.filter(({ word, count }, index) => {
    if (!words.includes(word)) return false;
    sum += count;
    return index === 0 || sum <= scoredRowsMax;
  });
  const required = phrases.map(row).join(' & ');
  const rows = compounds.map(row);
  const free = (chosen: readonly string[]) => [...chosen.map(quotedWord), ...rows].join(' | ');
  const everything = [...phrases.map(row), ...words.map(quotedWord)];
  const most = Math.max(1, ...weights.map(({ weight }) => weight));
  return {
    any: required === '' ? free(drivers.map(({ word }) => word)) : required,
    all: everything.length > 1 ? everything.join(' & ') : '',
    titles: required === '' ? free(words) : required,
    scored: [
      ...rarest.slice(0, scoringMax).map(({ word, weight }) => ({ query: quotedWord(word), weight })),
      // In a row they are rarer than alone.
      ...rows.map((query) => ({ query, weight: most })),
    ],
  };
}

/** Where sources are named, PostgreSQL may begin with their documents, which an index knows. */
const documentsOf = (filter: RawBuilder<unknown>, { sourceIds = null }: CandidateOptions) =>
  sourceIds === null
    ? documentOfPassage(filter)
    : sql`join corpus_documents d on d.id = t.id / 1024 and ${filter}`;

interface Ask {
  readonly db: Kysely<Schema>;
  readonly filter: RawBuilder<unknown>;
  /** Joins the document `d` of a passage `t`. */
  readonly documents: RawBuilder<unknown>;
  readonly scored: readonly Scored[];
  readonly limit: number;
}

/**
 * The sum over words of how often one stands in a row, which grows ever less, times how rare it is: nearly BM25. Words of
 * headings and of texts weigh the same, and long rows as much as short ones, which found most.
 */
function scoreOf(scored: readonly Scored[]): RawBuilder<unknown> {
  return sql.join(
    scored.map(
      ({ query, weight }) => sql`${weight}::float8 * ts_rank('{1, 1, 1, 1}', m.words, ${toQuery(query)})`,
    ),
    sql` + `,
  );
}

async function passages({ db, documents, scored, limit }: Ask, words: string): Promise<FoundPassage[]> {
  const { rows } = await sql<CandidateRow>`
    select c.id, c.score, p.vector, c.embedded_by from
      (select m.id, m.embedded_by, (${scoreOf(scored)})::float8 as score from
        (select t.id, d.embedded_by, ${unpacked('t')} as words from corpus_passages t
          ${documents}
          where t.words @@ ${toQuery(words)} limit ${sql.lit(scoredRowsMax)}) m
        order by score desc, m.id desc limit ${limit}) c
      join corpus_passages p on p.id = c.id order by c.score desc, c.id desc`.execute(db);
  return rows.map(toFound);
}

/** A copy that is not packed: each `ts_rank` would unpack it again. */
const unpacked = (table: string) => sql`${sql.ref(table)}.words || ''::tsvector`;

async function titled({ db, filter, scored, limit }: Ask, words: string): Promise<FoundTitle[]> {
  const { rows } = await sql<FoundTitle>`
    select m.id as "documentId", (${scoreOf(scored)})::float8 as score from
      (select d.id, ${unpacked('d')} as words from corpus_documents d
        where d.words @@ ${toQuery(words)} and ${filter} limit ${sql.lit(scoredRowsMax)}) m
      order by score desc, m.id desc limit ${limit}`.execute(db);
  return [...rows];
}
