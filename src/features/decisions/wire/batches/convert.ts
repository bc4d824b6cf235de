import type { BatchRow } from '../../store/batch-row.ts';
import { toInstant, toInstantOrNull } from '../instant.ts';
import type { Batch } from './schema.ts';

export function fromBatch(row: BatchRow, nowMs: number): Batch {
  const { rows: total, answered, failed, startedAtMs, endedAtMs, waitsFor } = row;
  const left = total - answered - failed;
  const seconds = startedAtMs === null ? 0 : ((endedAtMs ?? nowMs) - startedAtMs) / 1_000;
  const rate = seconds > 0 ? (total - left) / seconds : null;
  const isOver = endedAtMs !== null;
  return {
    object: 'decision.batch',
    id: row.id,
    status: row.status as Batch['status'],
    model: row.model,
    name: row.name,
    rows: { total, answered, failed, left },
    progress: (total - left) / total,
    rows_per_second: rate,
    seconds_left: isOver || rate === null || rate === 0 ? null : Math.ceil(left / rate),
    waiting_for: waitsFor as Batch['waiting_for'],
    usage: { input_tokens: row.inputTokens, output_tokens: row.outputTokens },
    created_at: toInstant(row.createdAtMs),
    started_at: toInstantOrNull(startedAtMs),
    ended_at: toInstantOrNull(endedAtMs),
    expires_at: toInstant(row.expiresAtMs),
  };
}
