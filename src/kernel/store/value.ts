/** A parameter or result of a statement. Integers beyond 2^53 are refused in both directions. */
export type Value = null | number | string | Uint8Array;

/** Converts a parameter. Throws for values that one of the stores would refuse, round or change. */
export function toValue(value: unknown): Value {
  if (value === null) return value;
  // PostgreSQL refuses U+0000 in text that a caller may send.
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
  // Copied: posting a small Buffer would transfer the whole pool that it was cut from.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (typeof value === 'number' || typeof value === 'bigint') return toNumber(Number(value));
  throw new TypeError(`a value of type ${typeof value} cannot be stored`);
}

function toNumber(number: number): number {
  // SQLite would store NaN as NULL, and JSON has neither.
  if (!Number.isFinite(number)) throw new RangeError('a number that is not finite cannot be stored');
  // Such an integer could be written but not read.
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError('an integer beyond 2^53 cannot be stored');
}

const control = /^\s*(?:begin|start|commit|end|rollback|savepoint|release|abort)\b/i;

/** Manual transaction control would commit or undo statements of others. */
export function refuseControl(sql: string): void {
  if (control.test(sql)) throw new Error('transactions are opened with db.transaction() only');
}
