import { sql, type Kysely, type RawBuilder } from 'kysely';

import type { Schema } from './schema.ts';

export type UsageGroup = 'account' | 'key' | 'operation' | 'model' | 'day';

export interface UsageFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** First instant that counts. */
  readonly fromMs?: number | undefined;
  /** First instant that no longer counts. */
  readonly toMs?: number | undefined;
}

export interface TotalsQuery extends UsageFilter {
  /** None: one total of everything. */
  readonly by: readonly UsageGroup[];
  readonly limit?: number;
  /** Groups to leave out from the beginning; for the next page. */
  readonly offset?: number;
}

/** Groups that were not asked for are absent. */
export interface UsageTotal {
  readonly account?: string;
  readonly key?: string;
  readonly operation?: string;
  readonly model?: string | null;
  /** UTC, `2026-01-31`. */
  readonly day?: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

const limitDefault = 1_000;
const dayMs = 86_400_000;

/** The number in the text and not as a parameter: SQLite would bind it as a double and not divide as integers. */
const dayNumber = sql<number>`created_at_ms / ${sql.lit(dayMs)}`;

const groupColumns: Readonly<Record<UsageGroup, RawBuilder<string | number | null>>> = {
  account: sql`account_id`,
  key: sql`key_id`,
  operation: sql`operation`,
  model: sql`model`,
  day: dayNumber,
};

export async function readTotals(
  db: Kysely<Schema>,
  { by, limit = limitDefault, offset = 0, ...filter }: TotalsQuery,
): Promise<readonly UsageTotal[]> {
  let query = db
    .selectFrom('usage')
    .select([
      sql<number>`count(*)`.as('requests'),
      // PostgreSQL's sum over integers is `numeric`.
      sql<number>`cast(coalesce(sum(input_tokens), 0) as bigint)`.as('input_tokens'),
      sql<number>`cast(coalesce(sum(output_tokens), 0) as bigint)`.as('output_tokens'),
      sql<number>`coalesce(sum(cost_usd), 0)`.as('cost_usd'),
    ])
    .select(by.map((group) => groupColumns[group].as(`by_${group}`)))
    .limit(limit);
  if (offset > 0) query = query.offset(offset);
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.fromMs !== undefined) query = query.where('created_at_ms', '>=', filter.fromMs);
  if (filter.toMs !== undefined) query = query.where('created_at_ms', '<', filter.toMs);
  for (const group of by) query = query.groupBy(groupColumns[group]).orderBy(groupColumns[group]);
  const rows = await query.execute();
  return rows.map((row) => toTotal(row, by));
}

type TotalRow = Readonly<Record<string, string | number | null>>;

function toTotal(row: TotalRow, by: readonly UsageGroup[]): UsageTotal {
  const groups = by.map((group) => {
    const value = row[`by_${group}`];
    return [group, group === 'day' ? toDay(Number(value)) : value];
  });
  return {
    ...(Object.fromEntries(groups) as Pick<UsageTotal, UsageGroup>),
    requests: Number(row['requests']),
    inputTokens: Number(row['input_tokens']),
    outputTokens: Number(row['output_tokens']),
    costUsd: Number(row['cost_usd']),
  };
}

function toDay(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10);
}
