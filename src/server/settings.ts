import type { Config } from '../kernel/config.ts';
import { decisionPriceUsdPerMillion } from '../features/decisions/wire/deciders.ts';
import type { Settings } from '../kernel/feature.ts';

/** What declarations of operations depend on. */
export function toSettings(
  version: string,
  { family, publicUrl, cors, adminKey, decisions, agent, router, chat, aliases, prices }: Config,
): Settings {
  return {
    version,
    family,
    publicUrl,
    corsOrigins: cors.origins,
    priceOf: (item, part) => priceOf(prices, item, part),
    admin: adminKey !== null,
    decisions: {
      served: decisions.served,
      compared: decisions.compare.map(({ name }) => name),
      inputTokensMax: decisions.maxInputTokens,
      timeoutMs: decisions.timeoutS * 1_000,
      priceUsdPerMillion: priceOf(prices, 'decisions', 'input') ?? decisionPriceUsdPerMillion,
    },
    agent: {
      roles: agent.roles,
      timeoutMs: chat.timeoutS * 1_000,
      fetch: agent.fetch,
    },
    router: { lenient: router.lenient, timeoutMs: chat.timeoutS * 1_000 },
    chat: {
      timeoutMs: chat.timeoutS * 1_000,
      lenientRoles: chat.lenientRoles,
      citations: chat.citations,
    },
    aliases,
  };
}

/** A price of the configuration is one number, which is that of input, or numbers by part. */
function priceOf(prices: Config['prices'], item: string, part: string): number | undefined {
  const price = Object.hasOwn(prices, item) ? prices[item] : undefined;
  if (typeof price === 'object') return Object.hasOwn(price, part) ? price[part] : undefined;
  return part === 'input' ? price : undefined;
}
