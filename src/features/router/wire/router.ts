import { Fault } from '../../../kernel/faults.ts';
import { perMinute, perSecond, type Billing } from '../../../kernel/http/operation.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { parseExact } from '../../../kernel/kit/json-exact.ts';
import { parseJson } from '../../../kernel/kit/json-parse.ts';
import { quote } from '../../../kernel/kit/text.ts';
import {
  type ModelRequest,
  type ModelUsage,
  costPartsOf,
  type CatalogEntry,
  type Models,
} from '../../models/feature.ts';
import type { Services } from '../../../kernel/feature.ts';

/** What every operation of the router takes from, by tier: the numbers of the agent in buckets of their own. */
export const routerBuckets = [
  perSecond('router_qps', [1, 3, 8, 17, 33, 33]),
  perMinute('router_rpm', [50, 150, 500, 1_000, 2_000, 2_000]),
];

/** What the operations of the router use. */
export type RouterServices = Pick<
  Services,
  'models' | 'pages' | 'structured' | 'clock' | 'ids' | 'fetchMedia'
>;

export const routerCommon = { group: 'router', credentials: 'bearer or x-api-key' } as const;

/** The entry that a caller named. Throws Fault `invalid_model`, also for a model that is kept out of the router. */
export function findRouterModel(models: Models, name: string): CatalogEntry {
  const entry = models.find(name);
  if (entry?.router) return entry;
  throw new Fault('invalid_model', `Invalid model '${quote(name)}'`, { param: 'model' });
}

/** Unit: tokens. Until the first byte a backend has one deadline, and of a whole answer the first byte is the last. */
const wholeTokensMax = 1_024;

/** Lets a backend answer a short request in one piece when nobody streams: 2.3 times less work for both (measured). */
export function inOnePiece(request: ModelRequest, isStreamed: boolean): ModelRequest {
  const isShort = (request.outputTokensMax ?? Infinity) <= wholeTokensMax;
  return isShort && !isStreamed ? { ...request, whole: true } : request;
}

/**
 * A caller of Messages reads of backends that are busy or down as of a limit: 429 and a wait. Contract 19.8. Other
 * failures stay what they are.
 */
export function toOverloaded<Failure>(error: Failure): Failure | Fault {
  if (!(error instanceof Fault) || error.code !== 'service_unavailable') return error;
  return new Fault('overloaded', undefined, { cause: error, retryAfterMs: error.retryAfterMs ?? 1_000 });
}

/** Refuses what the model cannot take, before a backend does it in words of its own. Throws Fault `invalid_value`. */
export function checkCapabilities({ capabilities }: CatalogEntry, { turns, tools }: ModelRequest): void {
  const refuse = (what: string, param: string): never => {
    throw new Fault('invalid_value', `This model does not accept ${what}`, { param });
  };
  if (tools.length > 0 && !capabilities.tools) refuse('tools', 'tools');
  if (capabilities.images) return;
  for (const turn of turns) {
    if (turn.role === 'assistant') continue;
    const parts = turn.role === 'user' ? turn.parts : turn.results.flatMap((result) => result.parts);
    if (parts.some(({ type }) => type === 'image')) refuse('images', 'messages');
  }
}

/** What a reply is metered as: the canonical model, whatever alias was sent. */
export function routerBilling({ id, price }: CatalogEntry, usage: ModelUsage): Billing {
  return {
    model: id,
    inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage.output,
    costParts: costPartsOf(price, usage),
  };
}

/** `prefix` and 24 characters of base62. */
export function newId(ids: Ids, prefix: string): string {
  return prefix + ids.secret(18).replaceAll('-', 'x').replaceAll('_', 'X');
}

const argumentsDepthMax = 64;

/** The arguments of a call as an object; null for what is none. */
export function parseArguments(text: string): JsonObject | null {
  if (text === '' || text === '{}') return {};
  try {
    // Held against the rules for JSON, then written on with every digit.
    parseJson(Buffer.from(text), { depthMax: argumentsDepthMax });
    const value = parseExact(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
