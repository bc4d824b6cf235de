import { CompiledQuery, sql, type Kysely, type RawBuilder } from 'kysely';

import { durationBoundsMs, durationColumns, placeOfDuration } from '../../../kernel/store/durations.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf, type Store } from '../../../kernel/store/store.ts';
import type { UsageRow } from './usage-row.ts';

/** Sums of the ledger by account, day, key, operation and model. They are kept when the rows are removed. */

export const dayMs = 86_400_000;

/** The largest sum that is reported; a larger one is reported as this. */
const sumMax = Number.MAX_SAFE_INTEGER;

const keyColumns = ['account_id', 'day', 'key_id', 'operation', 'model'] as const;
const sumColumns = ['requests', 'input_tokens', 'output_tokens', 'cost_usd'] as const;
const columns = [...keyColumns, ...sumColumns, ...durationColumns];

/** Keeps the number of texts small: the stores know them prepared. */
const groupsPerStatement = 16;

/** Adds rows to the sums of their days. In the transaction that writes them, and only those that are new. */
export async function addToDays(db: Kysely<Schema>, rows: readonly UsageRow[]): Promise<void> {
  const store = storeOf(db);
  const groups = groupByDay(rows);
  for (let from = 0; from < groups.length; from += groupsPerStatement) {
    const some = groups.slice(from, from + groupsPerStatement);
    await db.executeQuery(CompiledQuery.raw(upsertText(some.length, store), some.flat()));
  }
}

type Key = readonly [accountId: string, day: number, keyId: string, operation: string, model: string];
interface Group {
  readonly key: Key;
  requests: number;
  input: number;
  output: number;
  cost: number;
  /** By place in `durationColumns`. */
  readonly durations: number[];
}

/** In the order of their key, so that two processes that add to the same days wait for each other in one order. */
function groupByDay(rows: readonly UsageRow[]): readonly (readonly (string | number)[])[] {
  const groups = new Map<string, Group>();
  let group: Group | null = null;
  for (const row of rows) {
    // Most are of one group, as those of a batch are, and then no name is made for them.
    if (group === null || !isOf(group.key, row)) group = findGroup(groups, keyOf(row));
    const place = placeOfDuration(row.durationMs);
    group.requests++;
    group.input = Math.min(sumMax, group.input + row.inputTokens);
    group.output = Math.min(sumMax, group.output + row.outputTokens);
    group.cost += row.costUsd;
    group.durations[place] = (group.durations[place] ?? 0) + 1;
  }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { key, requests, input, output, cost, durations }]) => [
      ...key,
      requests,
      input,
      output,
      cost,
      ...durations,
    ]);
}

const dayOf = ({ createdAtMs }: UsageRow): number => Math.floor(createdAtMs / dayMs);

const keyOf = (row: UsageRow): Key => [row.accountId, dayOf(row), row.keyId, row.operation, row.model ?? ''];

const isOf = ([accountId, day, keyId, operation, model]: Key, row: UsageRow): boolean =>
  row.accountId === accountId &&
  dayOf(row) === day &&
  row.keyId === keyId &&
  row.operation === operation &&
  (row.model ?? '') === model;

function findGroup(groups: Map<string, Group>, key: Key): Group {
  const name = JSON.stringify(key);
  const known = groups.get(name);
  if (known !== undefined) return known;
  const durations = durationColumns.map(() => 0);
  const group = { key, requests: 0, input: 0, output: 0, cost: 0, durations };
  groups.set(name, group);
  return group;
}

function upsertText(groups: number, store: Store): string {
  const tuples = placeholders(groups, columns.length, store);
  const least = store === 'postgres' ? 'least' : 'min';
  const added = ['input_tokens', 'output_tokens'].map(
    (name) => `${name} = ${least}(usage_days.${name} + excluded.${name}, ${sumMax})`,
  );
  const plain = ['requests', 'cost_usd', ...durationColumns].map(
    (name) => `${name} = usage_days.${name} + excluded.${name}`,
  );
  return (
    `insert into usage_days (${columns.join(',')}) values ${tuples} ` +
    `on conflict (${keyColumns.join(',')}) do update set ${[...added, ...plain].join(', ')}`
  );
}

/** `$1` is PostgreSQL's. SQLite takes `?1` as well, but as a name, which made a batch of 256 cost 15 ms. */
export function placeholders(rows: number, width: number, store: Store): string {
  const tuples = Array.from({ length: rows }, (_row, row) => {
    const marks = Array.from({ length: width }, (_mark, column) =>
      store === 'postgres' ? `$${row * width + column + 1}` : '?',
    );
    return `(${marks.join(',')})`;
  });
  return tuples.join(',');
}

/** A sum of integers, in a form that both stores return alike. */
export function safeSum(db: Kysely<Schema>, column: string): RawBuilder<number> {
  const most = sql.lit(sumMax);
  const of = sql.ref(column);
  // SQLite's `sum` fails beyond 2^63, and PostgreSQL's is `numeric`.
  return storeOf(db) === 'sqlite'
    ? sql<number>`cast(min(total(${of}), ${most}) as integer)`
    : sql<number>`cast(least(coalesce(sum(${of}), 0), ${most}) as bigint)`;
}

/** Whether a row took as long as each step counts, in the order of `durationColumns`. */
export const durationCounts: readonly RawBuilder<number>[] = durationColumns.map((_column, place) => {
  const [from, end] = [durationBoundsMs[place - 1], durationBoundsMs[place]];
  const bounds = [
    ...(from === undefined ? [] : [sql`duration_ms >= ${sql.lit(from)}`]),
    ...(end === undefined ? [] : [sql`duration_ms < ${sql.lit(end)}`]),
  ];
  return sql<number>`case when ${sql.join(bounds, sql` and `)} then 1 else 0 end`;
});
