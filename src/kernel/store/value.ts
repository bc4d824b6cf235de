/** What a statement may carry. Integers beyond 2^53 never cross, in either direction. */
export type Value = null | number | string | Uint8Array;

/**
 * A parameter as both stores take it. Throws for what one of them would refuse, round or quietly change, so that
 * a statement means the same on both.
 */
export function toValue(value: unknown): Value {
  if (value === null) return value;
  // PostgreSQL refuses U+0000 in text, and such a name is the caller's, not a failure of the store.
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
  // A copy: sending a small Buffer would send the whole pool it was cut from, and a detached one would throw there.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (typeof value === 'number' || typeof value === 'bigint') return toNumber(Number(value));
  throw new TypeError(`a value of type ${typeof value} cannot be stored`);
}

function toNumber(number: number): number {
  // SQLite would store NaN as NULL, and JSON has neither.
  if (!Number.isFinite(number)) throw new RangeError('a number that is not finite cannot be stored');
  // Written as it is, such an integer could not be read again.
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError('an integer beyond 2^53 cannot be stored');
}

const control = /^\s*(?:begin|start|commit|end|rollback|savepoint|release|abort)\b/i;

/** Transaction control by hand would acknowledge or undo what others of the same connection or batch wrote. */
export function refuseControl(sql: string): void {
  if (control.test(sql)) throw new Error('transactions are opened with db.transaction() only');
}
