import type { Selection } from 'kysely';
import type { Schema } from '../../../kernel/store/schema.ts';

export const usageColumns = [
  'id',
  'account_id as accountId',
  'key_id as keyId',
  'operation',
  'model',
  'input_tokens as inputTokens',
  'output_tokens as outputTokens',
  'other_units as otherUnits',
  'cost_usd as costUsd',
  'cost_parts as costParts',
  'request_id as requestId',
  'status',
  'duration_ms as durationMs',
  'created_at_ms as createdAtMs',
] as const;
type StoredRow = Readonly<Selection<Schema, 'usage', (typeof usageColumns)[number]>>;

type Numbers = Readonly<Record<string, number>>;

/** One billable request. Numbers are kept as they are, never rounded. A row whose id is known is kept once. */
export interface UsageRow extends Omit<StoredRow, 'otherUnits' | 'costParts'> {
  /** What is neither input nor output, by name. */
  readonly otherUnits: Numbers | null;
  /** USD by name. */
  readonly costParts: Numbers;
}

const fields = usageColumns.map((column) => column.split(' as ').at(-1) as keyof UsageRow);

/** In the order of `usageColumns`. */
export function toParameters(row: UsageRow): readonly (string | number | null)[] {
  return fields.map((field) => {
    const value = row[field];
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
}

export function toUsageRow(row: StoredRow): UsageRow {
  return {
    ...row,
    otherUnits: row.otherUnits === null ? null : (JSON.parse(row.otherUnits) as Numbers),
    costParts: JSON.parse(row.costParts) as Numbers,
  };
}
