import type { CustomTypesConfig } from 'pg';

/** Type OIDs of PostgreSQL, which never change. */
const oids = { bool: 16, int8: 20, numeric: 1700 } as const;

type TypeParsers = CustomTypesConfig['getTypeParser'];

/**
 * Parses values as SQLite returns them: integers as numbers, booleans as 0 and 1. Integers beyond 2^53 are refused.
 * `numeric` comes only from `sum` over integers.
 */
export function createTypes(base: { readonly getTypeParser: TypeParsers }): CustomTypesConfig {
  const own: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
    [oids.bool, (text) => (text === 't' ? 1 : 0)],
    [oids.int8, toInteger],
    [oids.numeric, (text) => (/^-?\d+$/.test(text) ? toInteger(text) : Number(text))],
  ]);
  // Typed as an enum of built-in types; there are others.
  const others = base.getTypeParser as (oid: number, format: string) => unknown;
  const getTypeParser = (oid: number, format = 'text'): unknown =>
    (format === 'text' ? own.get(oid) : undefined) ?? others(oid, format);
  return { getTypeParser: getTypeParser as TypeParsers };
}

function toInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError('the store holds an integer beyond 2^53');
}
