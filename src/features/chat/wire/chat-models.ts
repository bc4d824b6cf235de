import { chatProfiles, type ChatProfile } from '../profiles.ts';
import { perMinute, type Bucket } from '../../../kernel/http/operation.ts';
import { addAliases, ModelName, refusedModel } from '../../../kernel/http/model-name.ts';
import type { Settings } from '../../../kernel/feature.ts';

export interface ChatModel {
  /** Canonical name. */
  readonly name: string;
  readonly profile: ChatProfile;
  /** Name under which the model is asked for. */
  readonly runsOn: string;
  readonly bucket: Bucket;
  readonly prices: ChatPrices;
}

type Rest = keyof typeof chatProfiles;

/**
 * Unit: USD. `input`, `output` and `reasoning` are of a million tokens, the others of a thousand: of one search where
 * searches are charged one by one, else of requests that searched, by context size and by `search_type`. The names are
 * those of the parts of a price, as an operator writes them.
 */
export type ChatPrices = Readonly<Record<keyof typeof freeSearch | 'input' | 'output', number>>;

const freeSearch = {
  reasoning: 0,
  search: 0,
  request_low: 0,
  request_medium: 0,
  request_high: 0,
  pro_request_low: 0,
  pro_request_medium: 0,
  pro_request_high: 0,
};
const proFee = { pro_request_low: 14, pro_request_medium: 18, pro_request_high: 22 };
const fee = { ...freeSearch, ...proFee, request_low: 6, request_medium: 10, request_high: 14 };

/** Contract 16. `svc` has no price of its own for `search_type: pro`, so the one of its neighbours holds. */
const prices: Readonly<Record<Rest, ChatPrices>> = {
  '': { ...fee, input: 1, output: 1, request_low: 5, request_medium: 8, request_high: 12 },
  '-pro': { ...fee, input: 3, output: 15 },
  '-reasoning-pro': { ...fee, input: 2, output: 8 },
  '-deep-research': { ...freeSearch, input: 2, output: 8, reasoning: 3, search: 5 },
};

/** What the upstream service calls its family of chat models. */
const upstreamFamily = 'sonar';
const removed = '-reasoning';

/** Names under which the family is known, for models and for paths. */
export function familiesOf({ family, aliases }: Settings): readonly string[] {
  return [...new Set([family, ...(aliases.upstream ? [upstreamFamily] : [])])];
}

const restsOf = (): Rest[] => Object.keys(chatProfiles) as Rest[];

/** Every name that is accepted, with the model that it stands for. */
export function chatModelsOf(settings: Settings): ReadonlyMap<string, ChatModel> {
  const { family, aliases } = settings;
  const named = new Map<string, ChatModel>();
  for (const rest of restsOf()) {
    const name = family + rest;
    const model: ChatModel = {
      name,
      profile: chatProfiles[rest],
      runsOn: `${family}/${name}`,
      bucket: perMinute(`chat ${name}`, rest === '-deep-research' ? 5 : 50),
      prices: mapPrices(prices[rest], (part, usd) => settings.priceOf(name, part) ?? usd),
    };
    named.set(name, model);
    if (aliases.upstream) named.set(upstreamFamily + rest, model);
  }
  addAliases(named, aliases.models);
  return named;
}

function mapPrices(of: ChatPrices, toPrice: (part: string, usd: number) => number): ChatPrices {
  const parts = Object.entries(of).map(([part, usd]) => [part, toPrice(part, usd)]);
  return Object.fromEntries(parts) as ChatPrices;
}

/** The name of a chat model, in the words of contract 9.3 when it is none. */
export function ChatModelName(settings: Settings) {
  const accepted = chatModelsOf(settings);
  const permitted = restsOf()
    .map((rest) => settings.family + rest)
    .join(', ');
  const families = familiesOf(settings);
  const refuse = (model: unknown) => {
    const gone = families.find((family) => model === family + removed);
    if (gone !== undefined)
      return `Model '${gone}${removed}' was removed on 15 December 2025. Use '${gone}${removed}-pro'.`;
    return refusedModel(model, permitted);
  };
  return ModelName(accepted, refuse);
}
