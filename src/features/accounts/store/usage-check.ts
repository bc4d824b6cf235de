import { sql, type Kysely, type Selection } from 'kysely';

import { durationColumns } from '../../../kernel/store/durations.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';
import { dayMs, durationCounts, safeSum } from './usage-days.ts';

export interface UsageCheck {
  readonly days: number;
  /** Sums that were not those of their rows, and were put right. */
  readonly mended: number;
}

const names = ['account_id', 'key_id', 'operation', 'model'] as const;
const columns = [
  ...names,
  'requests',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  ...durationColumns,
] as const;
type Group = Readonly<Selection<Schema, 'usage_days', (typeof columns)[number]>>;

/**
 * Compares the sums of every day with its rows and puts right what differs. Of the oldest day that has rows, some may
 * have been removed already, so there a sum is only put right that is less than its rows.
 */
export async function checkUsageDays(db: Kysely<Schema>): Promise<UsageCheck> {
  const { rows } = await sql<{ readonly first: number | null; readonly last: number | null }>`
    select min(created_at_ms) as first, max(created_at_ms) as last from usage`.execute(db);
  const { first = null, last = null } = rows[0] ?? {};
  if (first === null || last === null) return { days: 0, mended: 0 };
  const [from, to] = [Math.floor(first / dayMs), Math.floor(last / dayMs)];
  let mended = 0;
  for (let day = from; day <= to; day++) {
    if ((await differencesOf(db, day, day === from)).length === 0) continue;
    mended += await db.transaction().execute((transaction) => mend(transaction, day, day === from));
  }
  return { days: to - from + 1, mended };
}

/** Nobody adds to the sums meanwhile: a process that has written rows and waits to add them adds them afterwards. */
async function mend(db: Kysely<Schema>, day: number, isPartial: boolean): Promise<number> {
  if (storeOf(db) === 'postgres') await sql`lock table usage_days in exclusive mode`.execute(db);
  const differences = await differencesOf(db, day, isPartial);
  for (const { group, right } of differences) {
    let wrong = db.deleteFrom('usage_days').where('day', '=', day);
    for (const name of names) wrong = wrong.where(name, '=', group[name]);
    await wrong.execute();
    if (right === null) continue;
    await db
      .insertInto('usage_days')
      .values({ ...right, day })
      .execute();
  }
  return differences.length;
}

interface Difference {
  readonly group: Group;
  /** What the sums have to be; null where no rows are left of a group. */
  readonly right: Group | null;
}

async function differencesOf(
  db: Kysely<Schema>,
  day: number,
  isPartial: boolean,
): Promise<readonly Difference[]> {
  const kept = await keptSums(db, day);
  const right = await sumsOfRows(db, day);
  const wrong = [...right].filter(([name, group]) => !isSame(kept.get(name), group, isPartial));
  const differences: Difference[] = wrong.map(([, group]) => ({ group, right: group }));
  if (isPartial) return differences;
  for (const [name, group] of kept) if (!right.has(name)) differences.push({ group, right: null });
  return differences;
}

function isSame(kept: Group | undefined, right: Group, isPartial: boolean): boolean {
  if (kept === undefined) return false;
  if (isPartial && kept.requests > right.requests) return true;
  const { requests, input_tokens, output_tokens, cost_usd } = kept;
  return (
    requests === right.requests &&
    input_tokens === right.input_tokens &&
    output_tokens === right.output_tokens &&
    durationColumns.every((column) => kept[column] === right[column]) &&
    // Added in another order, a sum of fractions differs in its last digits.
    Math.abs(cost_usd - right.cost_usd) <= 1e-9 * Math.max(1, Math.abs(right.cost_usd))
  );
}

async function keptSums(db: Kysely<Schema>, day: number): Promise<ReadonlyMap<string, Group>> {
  return toMap(await db.selectFrom('usage_days').select(columns).where('day', '=', day).execute());
}

async function sumsOfRows(db: Kysely<Schema>, day: number): Promise<ReadonlyMap<string, Group>> {
  const { rows } = await sql<Group>`
    select account_id, key_id, operation, coalesce(model, '') as model, count(*) as requests,
      ${safeSum(db, 'input_tokens')} as input_tokens, ${safeSum(db, 'output_tokens')} as output_tokens,
      sum(cost_usd) as cost_usd, ${sql.join(countedDurations(db))}
    from usage where created_at_ms >= ${day * dayMs} and created_at_ms < ${(day + 1) * dayMs}
    group by 1, 2, 3, 4`.execute(db);
  return toMap(rows);
}

const countedDurations = (db: Kysely<Schema>) =>
  durationColumns.map((column, place) => {
    const count = sql`sum(${durationCounts[place]})`;
    return storeOf(db) === 'postgres'
      ? sql`cast(${count} as bigint) as ${sql.ref(column)}`
      : sql`${count} as ${sql.ref(column)}`;
  });

function toMap(rows: readonly Group[]): ReadonlyMap<string, Group> {
  return new Map(rows.map((row) => [JSON.stringify(names.map((name) => row[name])), row]));
}
