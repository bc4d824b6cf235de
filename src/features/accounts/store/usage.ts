import type { UsageRow } from './usage-row.ts';
import { CompiledQuery, type Kysely, type Selectable } from 'kysely';

import type { Schema, UsageTable } from '../../../kernel/store/schema.ts';
import { storeOf, type Store } from '../../../kernel/store/store.ts';
import { addToDays } from './usage-days.ts';
import { readTotals, type TotalsQuery, type UsageFilter, type UsageTotal } from './usage-totals.ts';

interface UsagePage extends UsageFilter {
  readonly after?: Pick<UsageRow, 'createdAtMs' | 'id'> | undefined;
  readonly limit?: number;
}

export interface Usage {
  /**
   * Writes rows and their sums by day, all or none, and returns how many rows were new. Those known by id stay as they
   * are, so a batch whose outcome is unknown is sent again. Durable when it resolves.
   */
  insertBatch(rows: readonly UsageRow[]): Promise<number>;
  /** Sums by the groups asked for, in their order. */
  totals(query: TotalsQuery): Promise<readonly UsageTotal[]>;
  /** Rows by time and id, oldest first, from after the one named. */
  page(page: UsagePage): Promise<readonly UsageRow[]>;
  /** Removes the oldest rows from before an instant, at most so many, and returns how many. Their sums stay. */
  forget(beforeMs: number, rowsMax: number): Promise<number>;
}

const pageDefault = 1_000;

/** `reports` is for sums and pages; see `Database`. */
export function createUsage(db: Kysely<Schema>, reports = db): Usage {
  const insert = createInsert(storeOf(db));
  return {
    async insertBatch(rows) {
      if (rows.length === 0) return 0;
      if (db.isTransaction) return insert(db, rows);
      return db.transaction().execute((transaction) => insert(transaction, rows));
    },

    totals: (query) => readTotals(reports, query),
    page: (page) => readPage(reports, page),

    async forget(beforeMs, rowsMax) {
      const oldest = db
        .selectFrom('usage')
        .select('id')
        .where('created_at_ms', '<', beforeMs)
        .orderBy('created_at_ms')
        .limit(rowsMax);
      const { numDeletedRows } = await db
        .deleteFrom('usage')
        .where('id', 'in', oldest)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

async function readPage(
  db: Kysely<Schema>,
  { after, limit = pageDefault, accountId, keyId, model, fromMs, toMs }: UsagePage,
): Promise<readonly UsageRow[]> {
  let query = db.selectFrom('usage').selectAll();
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (keyId !== undefined) query = query.where('key_id', '=', keyId);
  if (model !== undefined) query = query.where('model', '=', model);
  if (fromMs !== undefined) query = query.where('created_at_ms', '>=', fromMs);
  if (toMs !== undefined) query = query.where('created_at_ms', '<', toMs);
  if (after !== undefined) {
    const { createdAtMs, id } = after;
    query = query.where((eb) => eb(eb.refTuple('created_at_ms', 'id'), '>', eb.tuple(createdAtMs, id)));
  }
  const rows = await query.orderBy('created_at_ms').orderBy('id').limit(limit).execute();
  return rows.map((row) => toUsageRow(row));
}

type Insert = (transaction: Kysely<Schema>, rows: readonly UsageRow[]) => Promise<number>;

function createInsert(store: Store): Insert {
  const texts = new Map<number, string>();
  return async (transaction, rows) => {
    const inserted = new Set<string>();
    let from = 0;
    for (const size of chunkSizes(rows.length)) {
      const text = texts.get(size) ?? insertText(size, store);
      texts.set(size, text);
      const parameters = rows.slice(from, from + size).flatMap((row) => toParameters(row));
      const query = CompiledQuery.raw(text, parameters);
      const result = await transaction.executeQuery<{ readonly id: string }>(query);
      for (const { id } of result.rows) inserted.add(id);
      from += size;
    }
    const { size } = inserted;
    // Of two with one id the first was written.
    const added = rows.filter(({ id }) => inserted.delete(id));
    await addToDays(transaction, added);
    return size;
  };
}

const columns = [
  'id',
  'account_id',
  'key_id',
  'operation',
  'model',
  'input_tokens',
  'output_tokens',
  'other_units',
  'cost_usd',
  'cost_parts',
  'request_id',
  'status',
  'duration_ms',
  'created_at_ms',
] as const satisfies readonly (keyof UsageTable)[];

const chunkMax = 256;

/** Powers of two, so that nine texts are all there are: the stores know them prepared, and none is built by Kysely. */
function* chunkSizes(count: number): Generator<number> {
  let left = count;
  for (let size = chunkMax; left > 0; size /= 2) {
    for (; left >= size; left -= size) yield size;
  }
}

/** `$1` is PostgreSQL's. SQLite takes `?1` as well, but as a name, which made a batch of 256 cost 15 ms. */
function insertText(rows: number, store: Store): string {
  const width = columns.length;
  const tuples = Array.from({ length: rows }, (_, row) => {
    const marks = columns.map((_, column) => (store === 'postgres' ? `$${row * width + column + 1}` : '?'));
    return `(${marks.join(',')})`;
  });
  return `insert into usage (${columns.join(',')}) values ${tuples.join(',')} on conflict (id) do nothing returning id`;
}

/** In the order of `columns`. */
function toParameters(row: UsageRow): readonly (string | number | null)[] {
  return [
    row.id,
    row.accountId,
    row.keyId,
    row.operation,
    row.model,
    row.inputTokens,
    row.outputTokens,
    row.otherUnits === null ? null : JSON.stringify(row.otherUnits),
    row.costUsd,
    JSON.stringify(row.costParts),
    row.requestId,
    row.status,
    row.durationMs,
    row.createdAtMs,
  ];
}

function toUsageRow(row: Selectable<UsageTable>): UsageRow {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    operation: row.operation,
    model: row.model,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    otherUnits: row.other_units === null ? null : (JSON.parse(row.other_units) as Record<string, number>),
    costUsd: row.cost_usd,
    costParts: JSON.parse(row.cost_parts) as Record<string, number>,
    requestId: row.request_id,
    status: row.status,
    durationMs: row.duration_ms,
    createdAtMs: row.created_at_ms,
  };
}
