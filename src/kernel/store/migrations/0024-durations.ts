import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const boundsMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];

/**
 * Durations beside the sums by day, in steps: see `durations.ts`. Those of the rows that are kept are counted here; days
 * whose rows are gone have none.
 */
export const durations: Migration = {
  async up(db: Kysely<unknown>) {
    const steps = [...boundsMs, Infinity].map((end, place) => ({
      column: Number.isFinite(end) ? `took_${end}` : 'took_more',
      from: boundsMs[place - 1] ?? -1,
      end,
    }));
    for (const { column } of steps)
      await db.schema
        .alterTable('usage_days')
        .addColumn(column, 'bigint', (one) => one.notNull().defaultTo(0))
        .execute();
    const names = sql.join(steps.map(({ column }) => sql.ref(column)));
    const counts = steps.map(({ from, end }) =>
      Number.isFinite(end)
        ? sql`sum(case when duration_ms >= ${sql.lit(from)} and duration_ms < ${sql.lit(end)} then 1 else 0 end)`
        : sql`sum(case when duration_ms >= ${sql.lit(from)} then 1 else 0 end)`,
    );
    const updates = steps.map(({ column }) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
    // A group without its sum would be one that is being mended: it gets its durations and no requests.
    await sql`
      insert into usage_days
        (account_id, day, key_id, operation, model, requests, input_tokens, output_tokens, cost_usd, ${names})
      select account_id, created_at_ms / 86400000, key_id, operation, coalesce(model, ''), 0, 0, 0, 0,
        ${sql.join(counts)}
      from usage where true group by 1, 2, 3, 4, 5
      on conflict (account_id, day, key_id, operation, model) do update set ${sql.join(updates)}`.execute(db);
  },
};
