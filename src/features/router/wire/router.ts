import { Fault } from '../../../kernel/faults.ts';
import { perMinute, perSecond, type Billing, type Principal } from '../../../kernel/http/operation.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';
import { quote } from '../../../kernel/kit/text.ts';
import {
  type ModelRequest,
  type ModelUsage,
  costPartsOf,
  type CatalogEntry,
  type Models,
} from '../../models/feature.ts';
import type { Services } from '../../../kernel/feature.ts';
import type { Signatures } from './signatures.ts';

/** Rate limits of the router by tier: the numbers of the agent, in buckets of their own. */
export const routerBuckets = [
  perSecond('router_qps', [1, 3, 8, 17, 33, 33]),
  perMinute('router_rpm', [50, 150, 500, 1_000, 2_000, 2_000]),
];

/** Services that the operations of the router use. */
export type RouterServices = Pick<
  Services,
  'models' | 'pages' | 'structured' | 'clock' | 'ids' | 'fetchMedia'
>;

export const routerCommon = { group: 'router', credentials: 'bearer or x-api-key' } as const;

/** The entry that a caller named. Throws Fault `invalid_model`, also for a model that is kept out of the router. */
function findRouterModel(models: Models, name: string): CatalogEntry {
  const entry = models.find(name);
  if (entry?.router) return entry;
  throw new Fault('invalid_model', `Invalid model '${quote(name)}'`, { param: 'model' });
}

/**
 * Longest answer that is asked for in one piece. Longer ones could miss the deadline for the first byte, which an answer
 * in one piece sends only when it is complete. Unit: tokens.
 */
const wholeTokensMax = 1_024;

/** Lets a backend answer a short request in one piece when nobody streams: 2.3 times less work for both sides, measured. */
export function inOnePiece(request: ModelRequest, isStreamed: boolean): ModelRequest {
  const isShort = (request.outputTokensMax ?? Infinity) <= wholeTokensMax;
  return isShort && !isStreamed ? { ...request, whole: true } : request;
}

/**
 * Turns `service_unavailable` into `overloaded`, with a wait: callers of Messages see backends that are busy or down as a
 * rate limit. Contract 19.8. Other errors are returned unchanged.
 */
export function toOverloaded<Failure>(error: Failure): Failure | Fault {
  if (!(error instanceof Fault) || error.code !== 'service_unavailable') return error;
  return new Fault('overloaded', undefined, { cause: error, retryAfterMs: error.retryAfterMs ?? 1_000 });
}

/** Throws Fault `invalid_value` for what the model does not accept, so that no backend words the refusal. */
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

/** Bills an answer under the canonical name of its model, whatever alias was sent. */
export function routerBilling({ id, price }: CatalogEntry, usage: ModelUsage): Billing {
  return {
    model: id,
    inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage.output,
    costParts: costPartsOf(price, usage),
  };
}

/** The account, model, signatures and ids of one call. Throws Fault `invalid_model`. */
export function openCall(
  model: string,
  principal: Principal | null,
  signal: AbortSignal,
  { models, ids }: RouterServices,
  signatures: Signatures,
) {
  const account = principal?.accountId ?? '';
  return {
    caller: { account, signal },
    entry: findRouterModel(models, model),
    findSignature: (callId: string) => signatures.find(account, callId),
    newId: (prefix: string) => newId(ids, prefix),
    onSigned: (callId: string, signature: string) => signatures.keep(account, callId, signature),
  };
}

/** `prefix` and 24 characters of base62. */
function newId(ids: Ids, prefix: string): string {
  return prefix + ids.secret(18).replaceAll('-', 'x').replaceAll('_', 'X');
}
