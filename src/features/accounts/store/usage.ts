import { CompiledQuery, type Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf, type Store } from '../../../kernel/store/store.ts';
import { addToDays, placeholders } from './usage-days.ts';
import { toParameters, toUsageRow, usageColumns, type UsageRow } from './usage-row.ts';
import { filtered, readTotals, type TotalsQuery, type UsageFilter } from './usage-totals.ts';
import { changedRows } from '../../../kernel/store/changed-rows.ts';

interface UsagePage extends UsageFilter {
  readonly after?: Pick<UsageRow, 'createdAtMs' | 'id'> | undefined;
  readonly limit?: number;
}

export type Usage = ReturnType<typeof createUsage>;

const pageDefault = 1_000;

/** `reports` is for sums and pages; see `Database`. */
export function createUsage(db: Kysely<Schema>, reports = db) {
  const insert = createInsert(storeOf(db));
  return {
    /**
     * Writes rows and their sums by day, all or none, and returns how many rows were new. Those known by id stay as
     * they are, so a batch whose outcome is unknown is sent again. Durable when it resolves.
     */
    async insertBatch(rows: readonly UsageRow[]): Promise<number> {
      if (rows.length === 0) return 0;
      if (db.isTransaction) return insert.some(db, rows);
      try {
        return await db.transaction().execute((transaction) => insert.all(transaction, rows));
      } catch (error) {
        if (error !== someAreKnown) throw error;
        return db.transaction().execute((transaction) => insert.some(transaction, rows));
      }
    },

    /** Sums by the groups asked for, in their order. */
    totals: (query: TotalsQuery) => readTotals(reports, query),

    /** Rows by time and id, oldest first, from after the one named. */
    async page({ after, limit = pageDefault, fromMs, toMs, ...filter }: UsagePage): Promise<UsageRow[]> {
      let query = reports
        .selectFrom('usage')
        .select(usageColumns)
        .where(filtered(filter, 'created_at_ms', fromMs, toMs));
      if (after !== undefined) {
        const { createdAtMs, id } = after;
        query = query.where((eb) => eb(eb.refTuple('created_at_ms', 'id'), '>', eb.tuple(createdAtMs, id)));
      }
      const rows = await query.orderBy('created_at_ms').orderBy('id').limit(limit).execute();
      return rows.map(toUsageRow);
    },

    /** Removes the oldest rows from before an instant, at most so many, and returns how many. Their sums stay. */
    forget(beforeMs: number, rowsMax: number): Promise<number> {
      const oldest = db
        .selectFrom('usage')
        .select('id')
        .where('created_at_ms', '<', beforeMs)
        .orderBy('created_at_ms')
        .limit(rowsMax);
      return changedRows(db.deleteFrom('usage').where('id', 'in', oldest));
    },
  };
}

const someAreKnown = new Error('some rows were known');

function createInsert(store: Store) {
  const texts = new Map<string, string>();
  async function* write(transaction: Kysely<Schema>, rows: readonly UsageRow[], ending: string) {
    let from = 0;
    for (const size of chunkSizes(rows.length)) {
      const key = `${size}${ending}`;
      const text = texts.get(key) ?? insertText(size, store) + ending;
      texts.set(key, text);
      const parameters = rows.slice(from, from + size).flatMap(toParameters);
      yield await transaction.executeQuery<{ readonly id: string }>(CompiledQuery.raw(text, parameters));
      from += size;
    }
  }
  return {
    /** Almost always all are new, and no id has to come back: that was a third of what a row cost. */
    async all(transaction: Kysely<Schema>, rows: readonly UsageRow[]): Promise<number> {
      let added = 0n;
      for await (const { numAffectedRows = 0n } of write(transaction, rows, '')) added += numAffectedRows;
      if (added < rows.length) throw someAreKnown;
      await addToDays(transaction, rows);
      return rows.length;
    },

    async some(transaction: Kysely<Schema>, rows: readonly UsageRow[]): Promise<number> {
      const inserted = new Set<string>();
      for await (const result of write(transaction, rows, ' returning id'))
        for (const { id } of result.rows) inserted.add(id);
      const { size } = inserted;
      // Of two with one id the first was written.
      await addToDays(
        transaction,
        rows.filter(({ id }) => inserted.delete(id)),
      );
      return size;
    },
  };
}

const chunkMax = 256;

/** Powers of two, so that nine texts are all there are: the stores know them prepared, and none is built by Kysely. */
function* chunkSizes(count: number): Generator<number> {
  let left = count;
  for (let size = chunkMax; left > 0; size /= 2) {
    for (; left >= size; left -= size) yield size;
  }
}

function insertText(rows: number, store: Store): string {
  const columns = usageColumns.map((column) => column.split(' as ')[0]);
  const tuples = placeholders(rows, columns.length, store);
  return `insert into usage (${columns.join(',')}) values ${tuples} on conflict (id) do nothing`;
}
