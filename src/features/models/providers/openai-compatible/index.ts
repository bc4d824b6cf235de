import type { Clock } from '../../../../kernel/kit/clock.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { openOutbound, type Outbound } from '../../../../kernel/kit/outbound.ts';
import type { OfferedModel, Provider } from '../../model.ts';
import { isOfUse } from '../../upstream-fault.ts';
import { withDetails } from './details.ts';
import { besideVersion, deploymentOf, endpointOf } from './endpoint.ts';
import { fromListing, unlisted, type ListedModel } from './listing.ts';
import { createModel, type ModelParts } from './model.ts';
import { createServer, type Server } from './server.ts';

export interface OpenAiCompatibleOptions {
  readonly name: string;
  /** With its version: `https://api.openai.com/v1`. A query is sent with every request. */
  readonly baseUrl: string;
  readonly key: string | null;
  /** Sent with every request, over our own. */
  readonly headers: Readonly<Record<string, string>>;
  /** `*` offers what the server lists and can chat; a list offers exactly these. */
  readonly models: '*' | readonly string[];
  /** Longest wait for the first event of an answer, and between any two. Unit: ms. */
  readonly timeoutMs: number;
  /** Longest duration of an answer. Unit: ms. */
  readonly totalTimeoutMs: number;
}

export interface OpenAiCompatibleParts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** In [0, 1). Spreads retries only; no answer depends on it. */
  readonly random?: () => number;
  /** Closed by whoever opened it; without it the provider opens its own. */
  readonly outbound?: Outbound;
}

const type = 'openai-compatible';
/** OpenRouter lists some 400 models in 1 MB. */
const responseBytesMax = 16_777_216;
/** An event for each of 131,072 tokens is some 40 MB. */
const streamBytesMax = 134_217_728;
const listTimeoutMs = 10_000;

/**
 * A server that speaks chat completions. Nothing is asked before `refresh`; a configured list is offered from the start,
 * and the server's own list adds what it tells: sizes, prices, capabilities, and which server it is.
 */
export function openOpenAiCompatible(
  options: OpenAiCompatibleOptions,
  { clock, ids, random = Math.random, outbound: given }: OpenAiCompatibleParts,
): Provider {
  const { name, baseUrl } = options;
  const outbound = given ?? openOutbound({ responseBytesMax, streamBytesMax, connectionsMax: 1_024 });
  const server = createServer({ ...options, outbound, clock, random });
  const parts: ModelParts = { server, ids, baseUrl };
  const deployment = deploymentOf(baseUrl);
  const configured = options.models === '*' ? (deployment === null ? [] : [deployment]) : options.models;
  const offer = createOffer(name, parts);
  let models = offer(configured.map(unlisted));
  return {
    name,
    type,
    models: () => models,
    health: () => server.health(),
    async refresh(signal) {
      // A deployment has no list, and the one of its resource tells of models that it does not run.
      if (deployment !== null) return;
      const listed = await list(server, baseUrl, options.models !== '*', signal);
      if (listed === null) return;
      models = offer(choose(options.models, listed, server));
    },
    async close() {
      if (given === undefined) await outbound.close();
    },
  };
}

/** Makes the models of a list. One about which nothing changed is the same object again, and so is a whole list. */
function createOffer(provider: string, parts: ModelParts) {
  let known = new Map<string, OfferedModel>();
  let last: readonly OfferedModel[] = [];
  return (listed: readonly ListedModel[]): readonly OfferedModel[] => {
    const next = listed.map((entry): [string, OfferedModel] => {
      const model = createModel(entry, parts);
      const { created, ownedBy, price } = entry;
      const traits = JSON.stringify([entry, model.capabilities]);
      const offered = { model, created, ownedBy: ownedBy ?? provider, price, router: true };
      return [traits, known.get(traits) ?? offered];
    });
    known = new Map(next);
    const models = next.map(([, offered]) => offered);
    const isSame = models.length === last.length && models.every((offered, i) => offered === last[i]);
    last = isSame ? last : models;
    return last;
  };
}

function choose(
  wanted: '*' | readonly string[],
  listed: readonly ListedModel[],
  server: Server,
): readonly ListedModel[] {
  if (wanted === '*') return listed.filter(({ name }) => server.quirksFor(name).hidden?.test(name) !== true);
  const byName = new Map(listed.map((model) => [model.name, model]));
  return wanted.map((name) => byName.get(name) ?? unlisted(name));
}

/** Null when there is no list to be had; health tells whether that matters. Never rejects. */
async function list(
  server: Server,
  baseUrl: string,
  optional: boolean,
  signal: AbortSignal,
): Promise<readonly ListedModel[] | null> {
  try {
    const outcome = await server.call(endpointOf(baseUrl, '/models'), null, listTimeoutMs, signal);
    if (!outcome.ok) {
      const absent = optional && (outcome.status === 404 || outcome.status === 405);
      server.report(absent || isOfUse(outcome));
      return null;
    }
    const listing = fromListing(outcome.body);
    server.report(listing !== null || optional);
    if (listing === null) return null;
    const { models, family } = listing;
    if (family === null) return models;
    return await withDetails(models, server.recognize(family), (path, json) =>
      server.call(besideVersion(baseUrl, path), json, listTimeoutMs, signal),
    );
  } catch {
    // The signal: nothing was found out.
    return null;
  }
}
