import { createHash } from 'node:crypto';

/**
 * What an answer depends on beside the state and the question, by names that a person knows: the engine, its weights, each
 * step. What changes nothing is left out. Long values stand as digests.
 */
export type Fingerprint = Readonly<Record<string, string>>;

/** The same for equal values, whatever the order of their keys. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, toCanonical)).digest('hex').slice(0, 32);
}

/** Names of the parts in which two differ, sorted. */
export function changesIn(fitted: Fingerprint, now: Fingerprint): readonly string[] {
  const names = new Set([...Object.keys(fitted), ...Object.keys(now)]);
  return [...names].filter((name) => fitted[name] !== now[name]).toSorted();
}

function toCanonical(_: string, value: unknown): unknown {
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries: readonly [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
