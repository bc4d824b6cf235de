import { readFileSync } from 'node:fs';
import { ownValue } from './kit/json.ts';
import type { Config } from './config.ts';
import type { Feature, Settings } from './feature.ts';

export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** What operations are declared with: the kernel's part, and that of each feature. */
export function toSettings(features: readonly Feature[], config: Config): Settings {
  const { family, publicUrl, cors, aliases, prices } = config;
  const own = {
    version,
    family,
    publicUrl,
    corsOrigins: cors.origins,
    priceOf: (item: string, part: string) => priceOf(prices, item, part),
    aliases,
  };
  const parts = features.map((feature) => feature.settings?.(config));
  // Each feature returns the part that it declares.
  return Object.assign({}, own, ...parts) as Settings;
}

/** A configured price is one number, for input, or numbers by part. */
export function priceOf(prices: Config['prices'], item: string, part: string): number | undefined {
  const price = ownValue(prices, item);
  if (typeof price === 'object') return ownValue(price, part);
  return part === 'input' ? price : undefined;
}
