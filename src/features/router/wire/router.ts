import { Fault, invalidValue } from '../../../kernel/faults.ts';
import {
  accountOf,
  perMinute,
  perSecond,
  type Billing,
  type Principal,
} from '../../../kernel/http/operation.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import {
  askStructured,
  costPartsOf,
  type CatalogEntry,
  type ModelEvent,
  type ModelRequest,
  type Models,
  type ModelUsage,
  type OpenedStream,
} from '../../models/feature.ts';
import type { Services } from '../../../kernel/feature.ts';
import type { Signatures } from './signatures.ts';

/** Rate limits of the router by tier: the numbers of the agent, in buckets of their own. */
export const routerBuckets = [
  perSecond('router_qps', [1, 3, 8, 17, 33, 33]),
  perMinute('router_rpm', [50, 150, 500, 1_000, 2_000, 2_000]),
];

export type RouterServices = Pick<
  Services,
  'models' | 'pages' | 'structured' | 'tools' | 'clock' | 'ids' | 'fetchMedia'
>;

export const routerCommon = { group: 'router', credentials: 'bearer or x-api-key' } as const;

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
    throw invalidValue(`This model does not accept ${what}`, param);
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

export type FindSignature = (callId: string) => string | null;

/** Throws Fault `invalid_model`, also for a model kept out of the router. */
export function findEntry(model: string, models: Models): CatalogEntry {
  const entry = models.find(model);
  if (!entry?.router) throw new Fault('invalid_model', `Invalid model '${quote(model)}'`, { param: 'model' });
  return entry;
}

/**
 * Asks the model. The answer is held back until it is valid when the caller wants a JSON Schema that the model cannot
 * enforce; `param` says where it stands in the request.
 */
export function openStructured(
  { models, structured }: Pick<RouterServices, 'models' | 'structured'>,
  { capabilities }: CatalogEntry,
  name: string,
  request: ModelRequest,
  caller: Caller,
  param: string,
): Promise<OpenedStream> {
  const ask = (asked: ModelRequest) => models.open([name], asked, caller.signal);
  const { format } = request;
  if (format.type !== 'json-schema' || capabilities.jsonSchema) return ask(request);
  return askChecked(structured.parseSchema(format.schema, param, caller), request, ask);
}

async function askChecked(
  checking: ReturnType<RouterServices['structured']['parseSchema']>,
  request: ModelRequest,
  ask: (asked: ModelRequest) => Promise<OpenedStream>,
): Promise<OpenedStream> {
  const check = await checking;
  const { opened, events } = await askStructured({ request, check, enforced: false, ask });
  return { ...opened, events: once(events) };
}

async function* once(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[]> {
  yield events;
}

/** The account, signatures and ids of one call. */
export function openCall(
  entry: CatalogEntry,
  principal: Principal | null,
  signal: AbortSignal,
  { ids }: RouterServices,
  signatures: Signatures,
) {
  const account = accountOf(principal);
  return {
    caller: { account, signal },
    entry,
    findSignature: ((callId) => signatures.find(account, callId)) satisfies FindSignature,
    /** `prefix` and 24 characters of base62. */
    newId: (prefix: string) => prefix + ids.secret(18).replaceAll('-', 'x').replaceAll('_', 'X'),
    onSigned: (callId: string, signature: string) => signatures.keep(account, callId, signature),
  };
}
