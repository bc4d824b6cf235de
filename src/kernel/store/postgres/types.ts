import type { CustomTypesConfig } from 'pg';

/** Type numbers of PostgreSQL's catalogue. They never change. */
const oids = { bool: 16, int8: 20, numeric: 1700 } as const;

type TypeParsers = CustomTypesConfig['getTypeParser'];

/**
 * Makes values come back as SQLite gives them: integers as numbers, truth as 0 and 1. An integer beyond 2^53 is
 * refused, not rounded. `numeric` comes only from `sum` over integers.
 */
export function createTypes(base: { readonly getTypeParser: TypeParsers }): CustomTypesConfig {
  const own: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
    [oids.bool, (text) => (text === 't' ? 1 : 0)],
    [oids.int8, toInteger],
    [oids.numeric, (text) => (/^-?\d+$/.test(text) ? toInteger(text) : Number(text))],
  ]);
  // Its parameter is declared as an enum of the types that are built in; there are others.
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
