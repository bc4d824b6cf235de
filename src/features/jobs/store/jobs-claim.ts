import { sql, type Expression, type Kysely, type RawBuilder } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

export interface ClaimBounds {
  readonly owner: string;
  readonly jobsMax: number;
  /** Jobs of one account that this owner has at a time, those that it has already included. */
  readonly perAccountMax: number;
  /** A job that was begun so often is not begun again. */
  readonly startsMax: number;
  /** Models whose backends are away: their jobs wait. */
  readonly restingModels: readonly string[];
}

/**
 * Ordinals of the jobs that are next: accounts take turns, one account's jobs keep their order. It reads the first few
 * jobs of each account that has open ones, however many wait behind them. On PostgreSQL rows that another worker is
 * claiming at this moment are passed over instead of waited for; SQLite has one writer.
 */
export function selectNext(
  db: Kysely<Schema>,
  { owner, jobsMax, perAccountMax, startsMax, restingModels }: ClaimBounds,
  now: Expression<number>,
): RawBuilder<number> {
  const isOpen = (table: string) => sql`${sql.ref(`${table}.status`)} in ('CREATED', 'IN_PROGRESS')`;
  const isTakeable =
    restingModels.length === 0 ? sql`` : sql`and candidate.model not in (${sql.join(restingModels)})`;
  const first = sql`select candidate.ordinal, candidate.account_id from jobs as candidate
    where candidate.account_id = open_accounts.account_id and ${isOpen('candidate')}
      and candidate.starts < ${startsMax} ${isTakeable}
      and (candidate.lease_until_ms is null or candidate.lease_until_ms < ${now})
    order by candidate.ordinal limit ${jobsMax}`;
  const candidates =
    storeOf(db) === 'postgres'
      ? sql`cross join lateral (${first} for update skip locked) as free`
      : sql`join jobs as free on free.ordinal in (select ordinal from (${first}))`;
  return sql<number>`with recursive open_accounts(account_id) as (
      select min(account_id) from jobs where ${isOpen('jobs')}
      union all
      select (select min(later.account_id) from jobs as later
        where ${isOpen('later')} and later.account_id > open_accounts.account_id)
      from open_accounts where open_accounts.account_id is not null
    ),
    held as (
      select account_id, count(*) as jobs from jobs
      where status = 'IN_PROGRESS' and lease_owner = ${owner} group by account_id
    ),
    turns as (
      select free.ordinal,
        row_number() over (partition by free.account_id order by free.ordinal)
          + coalesce((select held.jobs from held where held.account_id = free.account_id), 0) as turn
      from open_accounts ${candidates}
    )
    select ordinal from turns where turn <= ${perAccountMax} order by turn, ordinal limit ${jobsMax}`;
}
