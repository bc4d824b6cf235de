import type { Config } from '../config.ts';
import { decisionPriceUsdPerMillion } from '../operations/deciders.ts';
import type { Settings } from '../operations/services.ts';

/** What declarations of operations depend on. */
export function toSettings(
  version: string,
  { family, publicUrl, decisions, aliases, prices }: Config,
): Settings {
  return {
    version,
    family,
    publicUrl,
    decisions: {
      served: decisions.served,
      inputTokensMax: decisions.maxInputTokens,
      timeoutMs: decisions.timeoutS * 1_000,
      priceUsdPerMillion: inputPriceOf(prices['decisions']) ?? decisionPriceUsdPerMillion,
    },
    aliases,
  };
}

/** A price of the configuration is one number, or numbers by part. */
function inputPriceOf(price: Config['prices'][string] | undefined): number | undefined {
  return typeof price === 'object' ? price['input'] : price;
}
