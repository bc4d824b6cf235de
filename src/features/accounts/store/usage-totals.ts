import { sql, type Kysely, type RawBuilder } from 'kysely';

import { durationColumns, quantileOf } from '../../../kernel/store/durations.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { dayMs, durationCounts, safeSum } from './usage-days.ts';

export const usageGroups = ['account', 'key', 'model', 'operation', 'day'] as const;
export type UsageGroup = (typeof usageGroups)[number];

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
  /** Whether half of the requests, and all but a twentieth, are told how long they took. */
  readonly withDurations?: boolean | undefined;
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
  /** Half of the requests took no longer, of 100 in 95: to within a step of `durations.ts`. Null for days without. */
  readonly p50Ms?: number | null;
  readonly p95Ms?: number | null;
}

const limitDefault = 1_000;

const groupColumns: Readonly<Record<UsageGroup, RawBuilder<string | number | null>>> = {
  account: sql`account_id`,
  key: sql`key_id`,
  operation: sql`operation`,
  model: sql`model`,
  day: sql`day`,
};

/**
 * Whole days come from the sums by day, which are few, and what a range begins or ends with from the rows. A part of a
 * day whose rows were removed counts as nothing.
 */
export async function readTotals(
  db: Kysely<Schema>,
  { by, withDurations = false, limit = limitDefault, offset = 0, ...filter }: TotalsQuery,
): Promise<readonly UsageTotal[]> {
  const names = by.map((group) => sql`${groupColumns[group]} as ${sql.ref(`by_${group}`)}`);
  const sums = [
    sql`${safeSum(db, 'requests')} as requests`,
    sql`${safeSum(db, 'input_tokens')} as input_tokens`,
    sql`${safeSum(db, 'output_tokens')} as output_tokens`,
    sql`coalesce(sum(cost_usd), 0) as cost_usd`,
    ...(withDurations
      ? durationColumns.map((column) => sql`${safeSum(db, column)} as ${sql.ref(column)}`)
      : []),
  ];
  const sources = [
    daysIn(filter, withDurations),
    ...edgesOf(filter).map((edge) => rowsIn(filter, edge, withDurations)),
  ];
  const grouped = sql.join(by.map((group) => groupColumns[group]));
  const grouping = by.length === 0 ? sql`` : sql`group by ${grouped} order by ${grouped}`;
  const { rows } = await sql<TotalRow>`
    select ${sql.join([...names, ...sums])} from (${sql.join(sources, sql` union all `)}) as parts
    ${grouping} limit ${sql.lit(limit)} offset ${sql.lit(offset)}`.execute(db);
  return rows.map((row) => toTotal(row, by, withDurations));
}

/** From the first instant to before the second. */
type Span = readonly [fromMs: number, toMs: number];

/** Whole days in the range; none where it lies within one. */
function wholeDays({
  fromMs,
  toMs,
}: UsageFilter): readonly [from: number | undefined, to: number | undefined] {
  return [fromMs && Math.ceil(fromMs / dayMs), toMs && Math.floor(toMs / dayMs)];
}

/** What the range has beside its whole days. */
function edgesOf(filter: UsageFilter): readonly Span[] {
  const { fromMs = 0, toMs = Infinity } = filter;
  const [from, to] = wholeDays(filter);
  if (from !== undefined && to !== undefined && from > to) return [[fromMs, toMs]];
  const edges: Span[] = [];
  if (from !== undefined) edges.push([fromMs, from * dayMs]);
  if (to !== undefined) edges.push([to * dayMs, toMs]);
  return edges.filter(([first, end]) => first < end);
}

function daysIn(filter: UsageFilter, withDurations: boolean): RawBuilder<unknown> {
  const [from, to] = wholeDays(filter);
  const durations = withDurations
    ? sql`, ${sql.join(durationColumns.map((column) => sql.ref(column)))}`
    : sql``;
  return sql`select account_id, key_id, operation, model, day, requests, input_tokens, output_tokens, cost_usd${durations}
    from usage_days where ${filtered(filter, 'day', from, to)}`;
}

/** The number in the text and not as a parameter: SQLite would bind it as a double and not divide as integers. */
const dayNumber = sql`created_at_ms / ${sql.lit(dayMs)}`;

function rowsIn(filter: UsageFilter, [fromMs, toMs]: Span, withDurations: boolean): RawBuilder<unknown> {
  const durations = withDurations ? sql`, ${sql.join(durationCounts)}` : sql``;
  return sql`select account_id, key_id, operation, coalesce(model, '') as model, ${dayNumber} as day, 1 as requests,
      input_tokens, output_tokens, cost_usd${durations}
    from usage where ${filtered(filter, 'created_at_ms', fromMs, toMs)}`;
}

/** `from` and `to` bound `time`, the second exclusively. */
export function filtered(
  { accountId, keyId, model }: UsageFilter,
  time: 'day' | 'created_at_ms',
  from: number | undefined,
  to: number | undefined,
): RawBuilder<boolean> {
  const conditions = [
    accountId !== undefined && sql`account_id = ${accountId}`,
    keyId !== undefined && sql`key_id = ${keyId}`,
    model !== undefined && sql`model = ${model}`,
    from !== undefined && sql`${sql.ref(time)} >= ${from}`,
    to !== undefined && sql`${sql.ref(time)} < ${to}`,
  ].filter((condition) => condition !== false);
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

type TotalRow = Readonly<Record<string, string | number | null>>;

function toTotal(row: TotalRow, by: readonly UsageGroup[], withDurations: boolean): UsageTotal {
  const groups = by.map((group) => {
    const value = row[`by_${group}`];
    if (group === 'day') return [group, toDay(Number(value))];
    return [group, group === 'model' && value === '' ? null : value];
  });
  return {
    ...(Object.fromEntries(groups) as Pick<UsageTotal, UsageGroup>),
    requests: Number(row['requests']),
    inputTokens: Number(row['input_tokens']),
    outputTokens: Number(row['output_tokens']),
    costUsd: Number(row['cost_usd']),
    ...(withDurations && toQuantiles(durationColumns.map((column) => Number(row[column])))),
  };
}

function toDay(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10);
}

/** More digits than three would be made up. */
function toQuantiles(counts: readonly number[]): Required<Pick<UsageTotal, 'p50Ms' | 'p95Ms'>> {
  const told = (share: number) => {
    const ms = quantileOf(counts, share);
    return ms === null ? null : Number(ms.toPrecision(3));
  };
  return { p50Ms: told(0.5), p95Ms: told(0.95) };
}
