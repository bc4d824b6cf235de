import { sql, type Kysely, type RawBuilder } from 'kysely';

import { removeDocuments } from './index-documents.ts';
import type { Schema } from './schema.ts';
import { storeOf } from './store.ts';

type Table = keyof Schema;

interface Owned {
  /** The table that names the account, where the row does not. */
  readonly parent?: { readonly table: Table; readonly column: string };
  /** Rows of one statement: no other write waits for long. */
  readonly atOnce: number;
  /** What was used, and not what was stored. */
  readonly isLedger?: true;
}

const small: Owned = { atOnce: 500 };
const large: Owned = { atOnce: 16 };
const partOf = (table: Table, column: string, { atOnce }: Owned): Owned => ({
  parent: { table, column },
  atOnce,
});

/**
 * How the rows of each table belong to accounts, parts before what they are parts of. Null: they belong to none, or go with another
 * row; whoever removes the account removes `accounts` last.
 */
const tables: Readonly<Record<Table, Owned | null>> = {
  response_events: partOf('responses', 'response_id', small),
  response_items: partOf('responses', 'response_id', small),
  response_files: partOf('responses', 'response_id', large),
  responses: large,
  conversation_items: partOf('conversations', 'conversation_id', small),
  conversations: small,
  jobs: large,
  skill_revisions: partOf('skills', 'skill_id', large),
  skills: small,
  decider_example_vectors: partOf('decider_examples', 'example_id', small),
  decider_examples: small,
  decider_fits: large,
  deciders: small,
  decision_batch_inputs: partOf('decision_batches', 'batch_id', large),
  decision_batch_results: partOf('decision_batches', 'batch_id', large),
  decision_batches: small,
  receipts: small,
  index_texts: large,
  corpus_passages: null,
  corpus_documents: { atOnce: 100 },
  corpus_frontier: partOf('corpus_sources', 'source_id', small),
  corpus_attempts: partOf('corpus_sources', 'source_id', small),
  corpus_sources: small,
  usage: { ...small, isLedger: true },
  usage_days: { ...small, isLedger: true },
  credit_purchases: small,
  keys: small,
  // Triggers count in it what goes before.
  account_storage: small,
  accounts: null,
  processes: null,
  secrets: null,
  instants: null,
};

interface Scope {
  readonly accountId: string;
  /** Whether rows of the ledger are meant too. */
  readonly withLedger: boolean;
}

const ownedTables = ({ withLedger }: Scope) =>
  Object.entries(tables).flatMap(([table, owned]) =>
    owned === null || (owned.isLedger === true && !withLedger) ? [] : [{ table: table as Table, owned }],
  );

/**
 * Removes the rows of an account, except the one of `accounts`, each statement a transaction of its own. Resolves to their
 * number; the signal ends it between two statements. May be repeated, also by several processes at once.
 */
export async function removeAccountRows(
  db: Kysely<Schema>,
  scope: Scope,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const { table, owned } of ownedTables(scope)) {
    const some = table === 'corpus_documents' ? removeSomeDocuments : removeSome;
    for (let count = owned.atOnce; count === owned.atOnce; removed += count) {
      signal.throwIfAborted();
      count = await some(db, table, owned, scope.accountId);
    }
  }
  return removed;
}

/** Whether anything is left that `removeAccountRows` would remove. */
export async function hasAccountRows(db: Kysely<Schema>, scope: Scope): Promise<boolean> {
  const any = ownedTables(scope).map(
    ({ table, owned }) =>
      sql`exists (select 1 from ${sql.table(table)} where ${ownedBy(owned, scope.accountId)})`,
  );
  const { rows } = await sql`select 1 as found where ${sql.join(any, sql` or `)}`.execute(db);
  return rows.length > 0;
}

async function removeSome(
  db: Kysely<Schema>,
  table: Table,
  owned: Owned,
  accountId: string,
): Promise<number> {
  const from = sql`from ${sql.table(table)} where ${ownedBy(owned, accountId)} limit ${sql.lit(owned.atOnce)}`;
  // By its place, which every row has. Rows that another process is removing are left to it.
  const where =
    storeOf(db) === 'postgres'
      ? sql`ctid = any(array(select ctid ${from} for update skip locked))`
      : sql`rowid in (select rowid ${from})`;
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${where}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

function removeSomeDocuments(
  db: Kysely<Schema>,
  _table: Table,
  { atOnce }: Owned,
  accountId: string,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const some = transaction
      .selectFrom('corpus_documents')
      .select('id')
      .where('account_id', '=', accountId)
      .limit(atOnce);
    const rows = await (storeOf(db) === 'postgres' ? some.forUpdate().skipLocked() : some).execute();
    await removeDocuments(
      transaction,
      rows.map(({ id }) => id),
    );
    return rows.length;
  });
}

function ownedBy({ parent }: Owned, accountId: string): RawBuilder<boolean> {
  if (parent === undefined) return sql<boolean>`account_id = ${accountId}`;
  return sql<boolean>`${sql.ref(parent.column)} in
    (select id from ${sql.table(parent.table)} where account_id = ${accountId})`;
}
