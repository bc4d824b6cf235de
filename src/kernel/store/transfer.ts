import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

import { sql, type Kysely, type RawBuilder } from 'kysely';
import { errorMessage } from '../kit/errors.ts';

import { migrations } from './migrations/index.ts';
import { schemaVersion } from './migrate.ts';
import type { Schema } from './schema.ts';
import { storeOf } from './store.ts';
import { linesOf, parseHeader, parseRow, type Header, type Row } from './transfer-lines.ts';

/**
 * Exported tables, parents before children, with their order columns. Left out: heartbeats and buckets of running
 * processes, events of responses, which are kept for an hour, secrets of one store, documents of the index, which are
 * read again from their sources and from what accounts sent, and vectors of examples, which are made again.
 */
const tables = {
  accounts: ['id'],
  keys: ['hash'],
  credit_purchases: ['id'],
  usage: ['id'],
  usage_days: ['account_id', 'day', 'key_id', 'operation', 'model'],
  jobs: ['ordinal'],
  corpus_sources: ['id'],
  skills: ['ordinal'],
  skill_revisions: ['ordinal'],
  deciders: ['account_id', 'name'],
  decider_examples: ['ordinal'],
  decider_fits: ['ordinal'],
  decision_batches: ['ordinal'],
  decision_batch_inputs: ['batch_id', 'first_line'],
  decision_batch_results: ['batch_id', 'first_line'],
  conversations: ['id'],
  conversation_items: ['ordinal'],
  receipts: ['ordinal'],
  index_texts: ['ordinal'],
  responses: ['id'],
  response_items: ['id'],
  response_files: ['id'],
} as const satisfies Partial<Record<keyof Schema, readonly string[]>>;

type Table = keyof typeof tables;

type TransferCounts = Readonly<Record<Table, number>>;

/** Rows per statement: bounds memory and, with 15 columns, stays below SQLite's parameter limit. */
const pageRows = 500;
/** The same for tables whose rows are up to some MB. */
const largePageRows = 8;
const isLarge = (table: Table): boolean => table.startsWith('decision_batch_');
const pageRowsOf = (table: Table): number => (isLarge(table) ? largePageRows : pageRows);

/**
 * Writes the whole store as lines of JSON, from one snapshot: a header with schema and row counts, then the rows.
 * Needs a database opened with `isBulk`. Does not end the stream. Keys are exported as hashes.
 */
export async function exportDatabase(db: Kysely<Schema>, output: Writable): Promise<TransferCounts> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const counts = await countRows(snapshot);
      const schema = schemaVersion(migrations);
      const header: Header = { format: 'nestor-export', version: 1, schema, rows: counts };
      await write(output, `${JSON.stringify(header)}\n`);
      for (const table of tableNames()) {
        for await (const rows of pagesOf(snapshot, table)) {
          await write(output, rows.map((row) => `${JSON.stringify([table, row])}\n`).join(''));
        }
      }
      return counts;
    });
}

/**
 * Imports an export into an empty store of the same schema, all or nothing. Needs a database opened with `isBulk`.
 * Rejects with a one-line Error that begins with `import: ` and names the line at fault.
 */
export async function importDatabase(db: Kysely<Schema>, input: Readable): Promise<TransferCounts> {
  return db.transaction().execute(async (transaction) => {
    await refuseFilled(transaction);
    const lines = linesOf(input);
    const { value: first } = await lines.next();
    const header = parseHeader(first ?? '', schemaVersion(migrations), tableNames());
    let batch: Batch | null = null;
    let lineNumber = 1;
    for await (const line of lines) {
      const { table, row } = parseRow(line, ++lineNumber, tableNames());
      const columns = Object.keys(row);
      if (batch !== null && !fits(batch, table, columns)) {
        await insert(transaction, batch);
        batch = null;
      }
      batch ??= { table, columns, rows: [], lastLine: 0 };
      batch.rows.push(row);
      batch.lastLine = lineNumber;
    }
    if (batch !== null) await insert(transaction, batch);
    await countOn(transaction);
    await forgetRefreshes(transaction);
    const counts = await countRows(transaction);
    for (const table of tableNames()) {
      if (counts[table] === header.rows[table]) continue;
      throw new Error(`import: ${table} has ${counts[table]} rows, the header says ${header.rows[table]}`);
    }
    return counts;
  });
}

/** Sources are imported without documents, so they count as never refreshed. */
async function forgetRefreshes(db: Kysely<Schema>): Promise<void> {
  await db
    .updateTable('corpus_sources')
    .set({ begun_at_ms: null, refreshed_at_ms: null, outcome: null, lease_owner: null, lease_until_ms: null })
    .execute();
  // What accounts sent was imported: a server reads it at once.
  await db.updateTable('corpus_sources').set({ due_at_ms: 0 }).where('kind', '=', 'texts').execute();
}

/** Imported ordinals do not advance PostgreSQL's sequences. */
async function countOn(db: Kysely<Schema>): Promise<void> {
  if (storeOf(db) !== 'postgres') return;
  const counted = [
    'jobs',
    'skills',
    'skill_revisions',
    'decider_examples',
    'decider_fits',
    'decision_batches',
    'conversation_items',
    'receipts',
    'index_texts',
  ];
  for (const table of counted)
    await sql`select setval(pg_get_serial_sequence(${table}, 'ordinal'), max(ordinal)) from ${sql.table(table)}
      having count(*) > 0`.execute(db);
}

interface Batch {
  readonly table: Table;
  readonly columns: readonly string[];
  readonly rows: Row[];
  lastLine: number;
}

/** An insert names its columns once, so a row with others, or in another order, begins the next. */
function fits(batch: Batch, table: Table, columns: readonly string[]): boolean {
  return (
    batch.table === table &&
    batch.rows.length < pageRowsOf(table) &&
    batch.columns.join('\n') === columns.join('\n')
  );
}

export function tableNames(): readonly Table[] {
  return Object.keys(tables) as Table[];
}

export async function countRows(db: Kysely<Schema>): Promise<TransferCounts> {
  const counts: [Table, number][] = [];
  for (const table of tableNames()) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
    counts.push([table, rows[0]?.n ?? 0]);
  }
  return Object.fromEntries(counts) as Record<Table, number>;
}

async function refuseFilled(db: Kysely<Schema>): Promise<void> {
  const filled = Object.entries(await countRows(db)).find(([, count]) => count > 0);
  if (filled !== undefined) throw new Error(`import: the store is not empty (${filled[0]} has rows)`);
}

async function* pagesOf(db: Kysely<Schema>, table: Table): AsyncGenerator<readonly Row[]> {
  const names: readonly string[] = tables[table];
  const key = sql.join(names.map((name) => sql.ref(name)));
  for (let rest: RawBuilder<unknown> = sql``; ;) {
    const { rows }: { readonly rows: readonly Row[] } =
      await sql<Row>`select * from ${sql.table(table)} ${rest}
      order by ${key} limit ${sql.lit(pageRowsOf(table))}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < pageRowsOf(table)) return;
    const last = names.map((name) => rows.at(-1)?.[name] ?? null);
    rest = sql`where (${key}) > (${sql.join(last)})`;
  }
}

async function insert(db: Kysely<Schema>, { table, columns, rows, lastLine }: Batch): Promise<void> {
  const tuples = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`);
  try {
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      values ${sql.join(tuples)}`.execute(db);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`import: a line up to ${lastLine} (${table}) is refused: ${reason}`, { cause: error });
  }
}

async function write(output: Writable, text: string): Promise<void> {
  if (output.errored !== null) throw output.errored;
  if (!output.write(text)) await once(output, 'drain');
}
