import type { Rate } from '../../kernel/kit/bucket.ts';

/** A limit as the operation declares it. */
export interface Limit {
  readonly name: string;
  readonly windowMs: number;
  /** One number for everybody, or one per tier. */
  readonly capacity: number | readonly number[];
}

/** Numbers by name of the bucket: one for everybody, or one per tier. */
export type Tables = Readonly<Record<string, number | readonly number[]>>;

/** The rate of a limit in a tier, worked out once: a tier above the table has the last number. */
export function createRates(tables: Tables): (limit: Limit, tier: number) => Rate {
  const known = new WeakMap<Limit, readonly Rate[]>();

  function ratesOf(limit: Limit): readonly Rate[] {
    const capacity = Object.hasOwn(tables, limit.name) ? tables[limit.name] : limit.capacity;
    const numbers = typeof capacity === 'object' ? capacity : [capacity ?? 1];
    const rates = numbers.map((number) => Object.freeze({ capacity: number, windowMs: limit.windowMs }));
    known.set(limit, rates);
    return rates;
  }

  return (limit, tier) => {
    const rates = known.get(limit) ?? ratesOf(limit);
    const rate = rates[Math.min(tier, rates.length - 1)];
    if (rate === undefined) throw new TypeError(`the limit ${limit.name} has no number`);
    return rate;
  };
}
