import { sql, type Kysely, type RawBuilder } from 'kysely';

import {
  isVisibleTo,
  mergePassages,
  toDocumentCondition,
  toFound,
  type CandidateOptions,
  type Candidates,
  type FoundPassage,
  type FoundTitle,
  type CandidateRow,
} from './candidates.ts';
import type { Nearest } from './nearest.ts';
import type { WordQuery } from './words.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** Rows that are scored per statement: `ts_rank_cd` reads the words of each. */
const scoredRowsMax = 4_000;

export async function findInPostgres(
  db: Kysely<Schema>,
  query: WordQuery,
  options: CandidateOptions,
  nearest: Nearest,
): Promise<Candidates> {
  const { any, all } = toPlan(query);
  if (any === '') return { passages: [], titles: [] };
  const filter = toFilter(options);
  const [some, whole, titles, near] = await Promise.all([
    passages(db, any, filter, options.passagesMax),
    all === '' ? [] : passages(db, all, filter, options.passagesMax),
    titled(db, any, filter, options.passagesMax),
    // Words in quotes have to be there.
    query.phrases.length > 0 ? [] : byMeaning(nearest, filter, options),
  ]);
  const byWords = mergePassages(some, whole);
  const found = new Set(byWords.map(({ id }) => id));
  return { passages: [...byWords, ...near.filter(({ id }) => !found.has(id))], titles };
}

async function byMeaning(
  nearest: Nearest,
  filter: RawBuilder<unknown>,
  options: CandidateOptions,
): Promise<readonly FoundPassage[]> {
  const vector = (await options.meaning) ?? null;
  return vector === null ? [] : nearest.find(vector, filter, options);
}

/** Words are letters and digits only, so quoting them is enough. */
function toPlan({ words, phrases, compounds }: WordQuery): { readonly any: string; readonly all: string } {
  const row = (one: readonly string[]) => `(${one.map(quoted).join(' <-> ')})`;
  const required = phrases.map(row);
  const free = [...words.map(quoted), ...compounds.map(row)];
  const everything = [...required, ...words.map(quoted)];
  return {
    any: required.length > 0 ? required.join(' & ') : free.join(' | '),
    all: everything.length > 1 ? everything.join(' & ') : '',
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", '')}'`;
}

function toFilter(options: CandidateOptions): RawBuilder<unknown> {
  const { allowDomains, denyDomains, languages } = options;
  const isIn = (domains: readonly string[]) =>
    sql.join(
      domains.map(
        (domain) => sql`(d.domain = ${domain} or right(d.domain, ${domain.length + 1}) = ${`.${domain}`})`,
      ),
      sql` or `,
    );
  const others = toDocumentCondition(options);
  const conditions = [
    isVisibleTo(options.accountId),
    ...(allowDomains.length > 0 ? [sql`(${isIn(allowDomains)})`] : []),
    ...(denyDomains.length > 0 ? [sql`not (${isIn(denyDomains)})`] : []),
    ...(languages.length > 0 ? [sql`(d.language is null or d.language in (${sql.join(languages)}))`] : []),
    ...(others === null ? [] : [others]),
  ];
  return sql.join(conditions, sql` and `);
}

/** As they are and as English stems them; either may match. A query of stop words is empty in English. */
function toQuery(words: string): RawBuilder<unknown> {
  return sql`(select to_tsquery('simple', ${words}) || to_tsquery('english', ${words}) as query) q`;
}

async function passages(
  db: Kysely<Schema>,
  words: string,
  filter: RawBuilder<unknown>,
  limit: number,
): Promise<FoundPassage[]> {
  const { rows } = await sql<CandidateRow>`
    select c.id, c.score, p.vector, c.embedded_by from
      (select m.id, m.embedded_by, ts_rank_cd('{0.1, 0.2, 0.5, 1.0}', m.words, m.query, 1)::float8 as score from
        (select t.id, d.embedded_by, t.words, q.query from ${toQuery(words)}
          join corpus_passages t on t.words @@ q.query
          join corpus_documents d on d.id = t.id / 1024 where ${filter} limit ${scoredRowsMax}) m
        order by score desc, m.id desc limit ${limit}) c
      join corpus_passages p on p.id = c.id order by c.score desc, c.id desc`.execute(db);
  return rows.map(toFound);
}

async function titled(
  db: Kysely<Schema>,
  words: string,
  filter: RawBuilder<unknown>,
  limit: number,
): Promise<FoundTitle[]> {
  const { rows } = await sql<FoundTitle>`
    select m.id as "documentId", ts_rank_cd('{0.1, 0.2, 0.5, 1.0}', m.words, m.query, 1)::float8 as score from
      (select d.id, d.words, q.query from ${toQuery(words)}
        join corpus_documents d on d.words @@ q.query where ${filter} limit ${scoredRowsMax}) m
      order by score desc, m.id desc limit ${limit}`.execute(db);
  return [...rows];
}
