import type { UsageRow } from '../store/usage-row.ts';
import { frameBytes, rowBytesMax } from './frames.ts';

const textMax = 200;
const partsMax = 16;
const partNameMax = 40;

/**
 * A row as any store takes it and as it fits its place in the journal, whatever an engine or a backend counted: one
 * number out of range must never hold up the rows of others.
 */
export function toSoundRow(row: UsageRow): UsageRow {
  return {
    id: toText(row.id),
    accountId: toText(row.accountId),
    keyId: toText(row.keyId),
    operation: toText(row.operation),
    model: row.model === null ? null : toText(row.model),
    inputTokens: toCount(row.inputTokens),
    outputTokens: toCount(row.outputTokens),
    otherUnits: row.otherUnits === null ? null : toNumbers(row.otherUnits),
    costUsd: toAmount(row.costUsd),
    costParts: toNumbers(row.costParts),
    requestId: toText(row.requestId),
    status: toCount(row.status),
    durationMs: toAmount(row.durationMs),
    createdAtMs: toCount(row.createdAtMs),
  };
}

/** A sound row as it lies in a journal. One that is too long for its place goes without what is not needed for sums. */
export function toJournalText(row: UsageRow): string {
  const text = JSON.stringify(row);
  // A unit of UTF-16 takes three bytes at most.
  if (text.length * 3 < rowBytesMax / 2 || frameBytes(text) <= rowBytesMax) return text;
  return JSON.stringify({ ...row, otherUnits: null, model: row.model?.slice(0, partNameMax) ?? null });
}

/** A row from the text in a journal, of this version or of one before; null for what is none. */
export function parseRow(text: string): UsageRow | null {
  try {
    const value = JSON.parse(text) as Partial<UsageRow> | null;
    if (!isRow(value)) return null;
    const { model = null, otherUnits = null } = value as Partial<UsageRow>;
    return toSoundRow({ ...value, model, otherUnits });
  } catch {
    return null;
  }
}

/** JSON has no numbers that are not finite, they come as null: what is no number counts as nothing. */
function isRow(value: Partial<UsageRow> | null): value is UsageRow {
  if (typeof value !== 'object' || value === null) return false;
  const { id, accountId, keyId, operation, requestId, costParts, createdAtMs } = value;
  const texts = [id, accountId, keyId, operation, requestId];
  return (
    texts.every((text) => typeof text === 'string') &&
    id !== '' &&
    typeof createdAtMs === 'number' &&
    typeof costParts === 'object' &&
    costParts !== null
  );
}

function toText(text: string): string {
  return text.length <= textMax ? text : text.slice(0, textMax);
}

/** An integer from 0 to 2^53-1. */
function toCount(value: number): number {
  return Math.round(clamp(value, Number.MAX_SAFE_INTEGER));
}

/** No rounding. An integer beyond 2^53-1 is one that the stores refuse. */
function toAmount(value: number): number {
  return clamp(value, Number.MAX_SAFE_INTEGER);
}

function clamp(value: number, max: number): number {
  // Also what is not a number.
  return value > 0 ? Math.min(value, max) : 0;
}

function toNumbers(parts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  let count = 0;
  let isSound = true;
  // Almost always they are sound, and no other object is made.
  for (const name in parts) {
    count++;
    const value = parts[name] ?? Number.NaN;
    isSound &&= name.length <= partNameMax && toAmount(value) === value;
  }
  if (isSound && count <= partsMax) return parts;
  return Object.fromEntries(
    Object.entries(parts)
      .slice(0, partsMax)
      .map(([name, value]) => [name.slice(0, partNameMax), toAmount(value)]),
  );
}
