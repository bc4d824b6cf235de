import type { Clock } from '../../../../kernel/kit/clock.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { openOutbound, type Outbound } from '../../../../kernel/kit/outbound.ts';
import type { OfferedModel, Provider } from '../../model.ts';
import { isOfUse } from '../../upstream-fault.ts';
import { listModels, type ListedModel } from './listing.ts';
import { createModel, type ModelParts } from './model.ts';
import { createServer } from './server.ts';
import { traitsOf } from './traits.ts';

export interface AnthropicOptions {
  readonly name: string;
  /** With its version: `https://api.anthropic.com/v1`. */
  readonly baseUrl: string;
  readonly key: string | null;
  /** Sent with every request, over our own. */
  readonly headers: Readonly<Record<string, string>>;
  /** `*` offers what the server lists; a list offers exactly these. */
  readonly models: '*' | readonly string[];
  /** Longest wait for the first event of an answer, and between any two. Unit: ms. */
  readonly timeoutMs: number;
  /** Longest duration of an answer. Unit: ms. */
  readonly totalTimeoutMs: number;
}

export interface AnthropicParts {
  readonly clock: Clock;
  /** For calls that the server leaves without an id. */
  readonly ids: Ids;
  /** In [0, 1). Spreads retries only; no answer depends on it. */
  readonly random?: () => number;
  /** Closed by whoever opened it; without it the provider opens its own. */
  readonly outbound?: Outbound;
}

const responseBytesMax = 16_777_216;
/** An event for each of 131,072 tokens is some 20 MB. */
const streamBytesMax = 134_217_728;

/**
 * A server that speaks the Messages interface. Nothing is asked before `refresh`; a configured list is offered from the
 * start, with what its names tell, and the server's own list adds sizes and capabilities to it.
 */
export function openAnthropic(
  options: AnthropicOptions,
  { clock, ids, random = Math.random, outbound: given }: AnthropicParts,
): Provider {
  const { name } = options;
  const outbound = given ?? openOutbound({ responseBytesMax, streamBytesMax, connectionsMax: 1_024 });
  const server = createServer({ ...options, outbound, clock, random });
  const offer = createOffer({ server, clock, ids });
  let models = options.models === '*' ? [] : offer(options.models.map(unlisted));
  return {
    name,
    type: 'anthropic',
    models: () => models,
    health: () => server.health(),
    async refresh(signal) {
      try {
        const listing = await listModels(server, signal);
        if (listing.ok) models = offer(choose(options.models, listing.models));
        server.report(listing.ok || isUp(options, listing.outcome));
      } catch {
        // The signal: nothing was found out.
      }
    },
    async close() {
      if (given === undefined) await outbound.close();
    },
  };
}

type Failed = Parameters<typeof isOfUse>[0];

/** A server without a list is no worse for it where the operator gave one. */
function isUp({ models }: AnthropicOptions, outcome: Failed): boolean {
  const isAbsent = outcome.status === 404 || outcome.status === 405;
  return (models !== '*' && isAbsent) || isOfUse(outcome);
}

function unlisted(name: string): ListedModel {
  return { name, created: 0, ownedBy: name.includes('claude') ? 'anthropic' : '', traits: traitsOf(name) };
}

function choose(wanted: AnthropicOptions['models'], listed: readonly ListedModel[]): readonly ListedModel[] {
  if (wanted === '*') return listed;
  const byName = new Map(listed.map((model) => [model.name, model]));
  return wanted.map((name) => byName.get(name) ?? unlisted(name));
}

/** Makes entries, and returns the ones it made before for models about which nothing changed. */
function createOffer(parts: ModelParts): (listed: readonly ListedModel[]) => readonly OfferedModel[] {
  let made = new Map<string, OfferedModel>();
  return (listed) => {
    const next = new Map<string, OfferedModel>();
    for (const model of listed) {
      const key = JSON.stringify(model);
      next.set(key, made.get(key) ?? toOffered(model, parts));
    }
    made = next;
    return [...next.values()];
  };
}

function toOffered({ name, created, ownedBy, traits }: ListedModel, parts: ModelParts): OfferedModel {
  return { model: createModel(name, traits, parts), created, ownedBy, price: null, router: true };
}
