import type { ModelPrice } from './model.ts';

/** Cached input of the service's own models: reading costs a quarter of input, writing as much as input. */
const own = (input: number, output: number): ModelPrice => ({
  input,
  output,
  cacheRead: input * 0.25,
  cacheWrite: input,
});

/** Prices of the service's own models by what follows the family name. Contract 16. */
const ownPrices: Readonly<Record<string, ModelPrice>> = {
  '': own(0.25, 2.5),
  '-pro': own(3, 15),
  '-reasoning-pro': own(2, 8),
  '-deep-research': own(2, 8),
};

/** What follows the family in the names of the service's own models. */
export const ownRests: readonly string[] = Object.keys(ownPrices);

/** The built-in price of an own model; null for names that an operator added. */
export function ownPriceOf(family: string, name: string): ModelPrice | null {
  if (!name.startsWith(family)) return null;
  const rest = name.slice(family.length);
  return Object.hasOwn(ownPrices, rest) ? (ownPrices[rest] ?? null) : null;
}

/** Own names that chat alone offers: `provider/model` callers do not find them in a list. Contract 1.1. */
export const isUnlisted = (family: string, name: string): boolean => name === `${family}-deep-research`;

/** Names of the upstream service for own models, by what follows the family name. Contract 1.2. */
export const upstreamNames: Readonly<Record<string, string>> = {
  sonar: '',
  'sonar-pro': '-pro',
  'sonar-reasoning-pro': '-reasoning-pro',
};

export const upstreamPrefix = 'perplexity/';

/** Models that answer no conversation. Left out of lists that a server sent, never of what an operator names. */
const notForChat =
  /(?:^|[-_/:.])(?:embed\w*|bge|gte|e5|minilm|rerank\w*|whisper|tts|transcribe|dall-e|image|imagen|sora|veo|moderation|realtime|audio|guard|babbage|davinci|clip|ocr)(?=$|[-_/:.\d])|embedding/i;

export const isForChat = (name: string): boolean => !notForChat.test(name);
