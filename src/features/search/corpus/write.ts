import { sql, type Kysely } from 'kysely';

import { wordsOfAccount } from './account-words.ts';
import type { NewDocument } from './document.ts';
import { toFacets } from './find-sqlite.ts';
import type { Stored } from './upsert.ts';
import { passagesPerDocument } from '../../../kernel/store/index-documents.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

/**
 * Rows travel as one parameter of JSON: a statement of always the same text stays prepared, and building one with a
 * thousand placeholders would hold the event loop for milliseconds.
 */
const jsonUnitsMax = 60_000;

interface PassageJson {
  readonly id: number;
  readonly heading: string;
  readonly text: string;
  readonly startAt: number;
  /** Hexadecimal. */
  readonly vector: string | null;
  readonly facets: string;
  readonly headingWords: string;
  readonly textWords: string;
  /** Configuration of PostgreSQL's text search. */
  readonly words: string;
}

interface TitleJson {
  readonly id: number;
  readonly facets: string;
  readonly title: string;
  readonly headings: string;
  /** Configuration of PostgreSQL's text search. */
  readonly words: string;
}

export async function insertPassages(
  db: Kysely<Schema>,
  documents: readonly NewDocument[],
  stored: readonly Stored[],
): Promise<void> {
  const isSqlite = storeOf(db) === 'sqlite';
  for (const rows of batches(passagesOf(documents, stored, isSqlite), unitsOfPassage)) {
    const json = JSON.stringify(rows);
    if (isSqlite) {
      await sql`insert into corpus_passages (id, heading, text, start_at, vector)
        select value->>'id', value->>'heading', value->>'text', value->>'startAt', unhex(value->>'vector')
        from json_each(${json})`.execute(db);
      await sql`insert into corpus_texts (rowid, facets, heading, text)
        select value->>'id', value->>'facets', value->>'headingWords', value->>'textWords'
        from json_each(${json})`.execute(db);
    } else {
      await sql`insert into corpus_passages (id, heading, text, start_at, vector, words)
        select id, heading, text, "startAt", decode(vector, 'hex'),
          setweight(to_tsvector('simple', "headingWords"), 'B') || setweight(to_tsvector('simple', "textWords"), 'D')
          || setweight(to_tsvector(words::regconfig, "headingWords"), 'B')
          || setweight(to_tsvector(words::regconfig, "textWords"), 'D')
        from json_to_recordset(${json}::json) as x(id bigint, heading text, text text, "startAt" int, vector text,
          "headingWords" text, "textWords" text, words text)`.execute(db);
    }
  }
}

/** The words of titles and headings, once per document. */
export async function insertWords(
  db: Kysely<Schema>,
  documents: readonly NewDocument[],
  stored: readonly Stored[],
): Promise<void> {
  const isSqlite = storeOf(db) === 'sqlite';
  for (const rows of batches(titlesOf(documents, stored, isSqlite), unitsOfTitle))
    await insertTitles(db, rows, isSqlite);
}

async function insertTitles(
  db: Kysely<Schema>,
  rows: readonly TitleJson[],
  isSqlite: boolean,
): Promise<void> {
  const json = JSON.stringify(rows);
  if (isSqlite) {
    await sql`insert into corpus_titles (rowid, facets, title, headings)
      select value->>'id', value->>'facets', value->>'title', value->>'headings' from json_each(${json})`.execute(
      db,
    );
    return;
  }
  await sql`update corpus_documents d set words =
      setweight(to_tsvector('simple', x.title), 'A') || setweight(to_tsvector('simple', x.headings), 'C')
      || setweight(to_tsvector(x.words::regconfig, x.title), 'A')
      || setweight(to_tsvector(x.words::regconfig, x.headings), 'C')
    from json_to_recordset(${json}::json) as x(id bigint, title text, headings text, words text)
    where d.id = x.id`.execute(db);
}

function* titlesOf(
  documents: readonly NewDocument[],
  stored: readonly Stored[],
  isSqlite: boolean,
): Generator<TitleJson> {
  for (const [index, { words, domain, language }] of documents.entries()) {
    const { id, accountId } = storedAt(stored, index);
    const toWords = isSqlite ? wordsOfAccount(accountId) : asTheyAre;
    yield {
      id,
      facets: toFacets(domain, language),
      title: toWords(words.title),
      headings: toWords(words.headings),
      words: configurationOf(language),
    };
  }
}

/** PostgreSQL refuses in JSON what no text of it can hold. */
const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '');

const asTheyAre = (words: string): string => words;

function storedAt(stored: readonly Stored[], index: number): Stored {
  const one = stored[index];
  if (one === undefined) throw new Error('a document without its row');
  return one;
}

function* passagesOf(
  documents: readonly NewDocument[],
  stored: readonly Stored[],
  isSqlite: boolean,
): Generator<PassageJson> {
  for (const [index, { passages, domain, language }] of documents.entries()) {
    const { id, accountId } = storedAt(stored, index);
    const first = id * passagesPerDocument;
    const toWords = isSqlite ? wordsOfAccount(accountId) : asTheyAre;
    const facets = toFacets(domain, language);
    const configuration = configurationOf(language);
    for (const [place, { heading, text, startAt, vector, words }] of passages
      .slice(0, passagesPerDocument)
      .entries()) {
      yield {
        id: first + place,
        heading: clean(heading),
        text: clean(text),
        startAt,
        vector: vector === null ? null : Buffer.from(vector).toString('hex'),
        facets,
        headingWords: toWords(words.heading),
        textWords: toWords(words.text),
        words: configuration,
      };
    }
  }
}

function configurationOf(language: string | null): string {
  return language === null || language === 'en' ? 'english' : 'simple';
}

const unitsOfPassage = ({ text, vector }: PassageJson): number =>
  text.length * 2 + (vector?.length ?? 0) + 100;
const unitsOfTitle = ({ title, headings }: TitleJson): number => title.length + headings.length + 200;

function* batches<Row>(rows: Iterable<Row>, unitsOf: (row: Row) => number): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let units = 0;
  for (const row of rows) {
    batch.push(row);
    units += unitsOf(row);
    if (units < jsonUnitsMax) continue;
    yield batch;
    batch = [];
    units = 0;
  }
  if (batch.length > 0) yield batch;
}
