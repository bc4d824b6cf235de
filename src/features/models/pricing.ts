import { ownValue } from '../../kernel/kit/json.ts';
import type { ModelPrice, ModelUsage } from './model.ts';

export const freePrice: ModelPrice = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The cost of a reply by part. Unit: USD. Plain products in float64, never rounded. Contract 7.4 and 16. */
export function costPartsOf(
  price: ModelPrice,
  usage: ModelUsage,
): { readonly [Part in keyof ModelPrice]: number } {
  return {
    input: (usage.input * price.input) / 1_000_000,
    output: (usage.output * price.output) / 1_000_000,
    cacheRead: (usage.cacheRead * price.cacheRead) / 1_000_000,
    cacheWrite: (usage.cacheWrite * price.cacheWrite) / 1_000_000,
  };
}

/** A price of the configuration: one number, which is that of input, or numbers by part. */
export type ConfiguredPrice = number | Readonly<Record<string, number>>;

/** A price with the operator's changes. Cached input follows a changed price of input in proportion. */
export function overridePrice(base: ModelPrice, changed: ConfiguredPrice | undefined): ModelPrice {
  if (changed === undefined) return base;
  if (typeof changed === 'number') return scaled(base, changed, base.output);
  const at = (name: string): number | undefined => ownValue(changed, name);
  const { cacheRead, cacheWrite, ...rest } = scaled(
    base,
    at('input') ?? base.input,
    at('output') ?? base.output,
  );
  return { ...rest, cacheRead: at('cache_read') ?? cacheRead, cacheWrite: at('cache_write') ?? cacheWrite };
}

function scaled(base: ModelPrice, input: number, output: number): ModelPrice {
  // A base that was free says nothing of proportions: cached input then costs what input costs.
  const share = (cached: number) => (base.input === 0 ? 1 : cached / base.input);
  return {
    input,
    output,
    cacheRead: input * share(base.cacheRead),
    cacheWrite: input * share(base.cacheWrite),
  };
}
