import { Type } from 'typebox';
import { chatProfiles, type ChatProfile } from '../profiles.ts';
import { perMinute, type Bucket } from '../../../kernel/http/operation.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { ContextSize } from '../../search/feature.ts';
import type { Settings } from '../../../kernel/feature.ts';

/** A chat model of the interface, with what it costs and how often it may be asked. */
export interface ChatModel {
  /** Canonical name. */
  readonly name: string;
  readonly profile: ChatProfile;
  /** Name under which the model is asked for. */
  readonly runsOn: string;
  readonly bucket: Bucket;
  readonly prices: ChatPrices;
}

/** Unit: USD. */
interface ChatPrices {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly reasoningPerMillion: number;
  /** Of one search; only where searches are charged one by one. */
  readonly searchPerThousand: number;
  /** For a request that searched, by context size. Zeros where searches are charged one by one. */
  readonly requestPerThousand: Readonly<Record<ContextSize, number>>;
  /** The same with `search_type: pro`. */
  readonly proRequestPerThousand: Readonly<Record<ContextSize, number>>;
}

type Rest = keyof typeof chatProfiles;

const noFee = { low: 0, medium: 0, high: 0 };
const fee = { low: 6, medium: 10, high: 14 };
const proFee = { low: 14, medium: 18, high: 22 };

/** Contract 16. `svc` has no price of its own for `search_type: pro`, so the one of its neighbours holds. */
const prices: Readonly<Record<Rest, ChatPrices>> = {
  '': toPrices(1, 1, { low: 5, medium: 8, high: 12 }),
  '-pro': toPrices(3, 15, fee),
  '-reasoning-pro': toPrices(2, 8, fee),
  '-deep-research': {
    ...toPrices(2, 8, noFee),
    proRequestPerThousand: noFee,
    reasoningPerMillion: 3,
    searchPerThousand: 5,
  },
};

function toPrices(
  inputPerMillion: number,
  outputPerMillion: number,
  requestPerThousand: ChatPrices['requestPerThousand'],
): ChatPrices {
  return {
    inputPerMillion,
    outputPerMillion,
    reasoningPerMillion: 0,
    searchPerThousand: 0,
    requestPerThousand,
    proRequestPerThousand: proFee,
  };
}

/** Requests per minute. */
const requestsPerMinute: Readonly<Record<Rest, number>> = {
  '': 50,
  '-pro': 50,
  '-reasoning-pro': 50,
  '-deep-research': 5,
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
      bucket: perMinute(`chat ${name}`, requestsPerMinute[rest]),
      prices: configured(prices[rest], (part) => settings.priceOf(name, part)),
    };
    named.set(name, model);
    if (aliases.upstream) named.set(upstreamFamily + rest, model);
  }
  for (const [alias, canonical] of Object.entries(aliases.models)) {
    const model = named.get(canonical);
    if (model !== undefined) named.set(alias, model);
  }
  return named;
}

/** Parts of a price as an operator writes them: `input`, `request_low`, `pro_request_low`, `search`, … */
function configured(base: ChatPrices, priceOf: (part: string) => number | undefined): ChatPrices {
  const fees = (prefix: string, of: ChatPrices['requestPerThousand']) => ({
    low: priceOf(`${prefix}_low`) ?? of.low,
    medium: priceOf(`${prefix}_medium`) ?? of.medium,
    high: priceOf(`${prefix}_high`) ?? of.high,
  });
  return {
    inputPerMillion: priceOf('input') ?? base.inputPerMillion,
    outputPerMillion: priceOf('output') ?? base.outputPerMillion,
    reasoningPerMillion: priceOf('reasoning') ?? base.reasoningPerMillion,
    searchPerThousand: priceOf('search') ?? base.searchPerThousand,
    requestPerThousand: fees('request', base.requestPerThousand),
    proRequestPerThousand: fees('pro_request', base.proRequestPerThousand),
  };
}

/** The name of a chat model, in the words of contract 9.3 when it is none. */
export function ChatModelName(settings: Settings) {
  const accepted = chatModelsOf(settings);
  const permitted = restsOf()
    .map((rest) => settings.family + rest)
    .join(', ');
  const families = familiesOf(settings);
  const message = (model: unknown) => {
    const gone = families.find((family) => model === family + removed);
    if (gone !== undefined)
      return `Model '${gone}${removed}' was removed on 15 December 2025. Use '${gone}${removed}-pro'.`;
    return `Invalid model '${quote(typeof model === 'string' ? model : JSON.stringify(model))}'. Permitted models: ${permitted}`;
  };
  const name = Type.Unsafe<string>({
    description: `One of: ${[...accepted.keys()].join(', ')}`,
    errorCode: 'invalid_model',
    errorMessage: 'Missing required field "model"',
  });
  return Type.Refine(name, (model) => typeof model === 'string' && accepted.has(model), message);
}
