import { hash } from 'node:crypto';
import type { Receipt } from './receipt-schema.ts';

/** A receipt with the digest of everything else in it. */
export function withDigest(receipt: Omit<Receipt, 'sha256'>): Receipt {
  return { ...receipt, sha256: digestOf(receipt) };
}

/** Whether nothing was changed since the digest was made. */
export function hasOwnDigest({ sha256, ...receipt }: Receipt): boolean {
  return digestOf(receipt) === sha256;
}

/** The order of keys makes no difference, as stores and editors may change it. */
function digestOf(value: object): string {
  return hash('sha256', JSON.stringify(value, toCanonical));
}

function toCanonical(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
