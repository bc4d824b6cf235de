import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';
import { createIndex, required } from '../table-columns.ts';

/**
 * Sums of the ledger by day, which outlive its rows. Existing rows are summed here: a million take about two seconds.
 */
export const ledger: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('usage_days')
      .$call(required('text', 'account_id'))
      .$call(required('bigint', 'day'))
      .$call(required('text', 'key_id', 'operation', 'model'))
      .$call(required('bigint', 'requests', 'input_tokens', 'output_tokens'))
      .$call(required('double precision', 'cost_usd'))
      .addPrimaryKeyConstraint('usage_days_key', ['account_id', 'day', 'key_id', 'operation', 'model'])
      .execute();
    await createIndex(db, 'usage_days_day', 'usage_days', ['day']);
    const most = sql.lit(Number.MAX_SAFE_INTEGER);
    const sumOf = (column: string) =>
      storeOf(db) === 'sqlite'
        ? sql`cast(min(total(${sql.ref(column)}), ${most}) as integer)`
        : sql`cast(least(sum(${sql.ref(column)}), ${most}) as bigint)`;
    await sql`
      insert into usage_days
        (account_id, day, key_id, operation, model, requests, input_tokens, output_tokens, cost_usd)
      select account_id, created_at_ms / 86400000, key_id, operation, coalesce(model, ''), count(*),
        ${sumOf('input_tokens')}, ${sumOf('output_tokens')}, sum(cost_usd)
      from usage group by 1, 2, 3, 4, 5`.execute(db);
  },
};
