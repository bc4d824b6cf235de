import { sql, type RawBuilder } from 'kysely';

import type { DateRange } from './candidates.ts';

/** On the table of documents under the name `d`; null when every date is allowed. */
export function toDateCondition({
  publishedAfter,
  publishedBefore,
  updatedAfter,
  updatedBefore,
}: DateRange): RawBuilder<unknown> | null {
  const updated = sql`coalesce(d.last_updated, d.date)`;
  const conditions = [
    ...(publishedAfter === null ? [] : [sql`d.date >= ${publishedAfter}`]),
    ...(publishedBefore === null ? [] : [sql`d.date <= ${publishedBefore}`]),
    ...(updatedAfter === null ? [] : [sql`${updated} >= ${updatedAfter}`]),
    ...(updatedBefore === null ? [] : [sql`${updated} <= ${updatedBefore}`]),
  ];
  return conditions.length === 0 ? null : sql.join(conditions, sql` and `);
}
