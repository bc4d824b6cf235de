import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { Server } from './server.ts';
import { traitsOf, type Traits, type WireEffort } from './traits.ts';

/** What a server tells of one of its models. */
export interface ListedModel {
  readonly name: string;
  /** Unix time in seconds; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
  readonly traits: Traits;
}

export type Listing =
  | { readonly ok: true; readonly models: readonly ListedModel[] }
  | { readonly ok: false; readonly outcome: OutboundOutcome & { readonly ok: false } };

const pageSize = 1_000;
const pagesMax = 20;
const pageTimeoutMs = 10_000;

/** The models of a server, page by page. Rejects with the signal's reason when it aborts. */
export async function listModels(server: Server, signal: AbortSignal): Promise<Listing> {
  const models = new Map<string, ListedModel>();
  let after = '';
  for (let page = 0; page < pagesMax; page++) {
    const outcome = await server.get(`models?limit=${pageSize}${after}`, pageTimeoutMs, signal);
    if (!outcome.ok) return { ok: false, outcome };
    const { entries, next } = readPage(outcome.body);
    const before = models.size;
    for (const entry of entries) models.set(entry.name, entry);
    // A server that knows no pages sends the same one again.
    if (next === null || models.size === before) break;
    after = `&after_id=${encodeURIComponent(next)}`;
  }
  return { ok: true, models: [...models.values()] };
}

function readPage(body: Json): { readonly entries: readonly ListedModel[]; readonly next: string | null } {
  if (!isJsonObject(body)) return { entries: [], next: null };
  const { data, has_more: hasMore, last_id: lastId } = body;
  const entries = Array.isArray(data) ? (data as readonly Json[]).flatMap(toListed) : [];
  return { entries, next: hasMore === true && typeof lastId === 'string' ? lastId : null };
}

function toListed(entry: Json): ListedModel[] {
  if (!isJsonObject(entry) || typeof entry['id'] !== 'string' || entry['id'] === '') return [];
  const { id, created_at: createdAt, created, owned_by: owner } = entry;
  const told = typeof createdAt === 'string' ? Date.parse(createdAt) / 1_000 : created;
  const seconds = typeof told === 'number' && Number.isFinite(told) ? Math.max(0, Math.floor(told)) : 0;
  const maker = id.includes('claude') ? 'anthropic' : '';
  return [
    {
      name: id,
      created: seconds,
      ownedBy: typeof owner === 'string' ? owner : maker,
      traits: toTraits(traitsOf(id), entry),
    },
  ];
}

/** What the entry tells, over what the name does. */
function toTraits(known: Traits, entry: JsonObject): Traits {
  const sized = {
    ...known,
    contextTokensMax: sizeOf(entry['max_input_tokens']) ?? known.contextTokensMax,
    outputTokensMax: sizeOf(entry['max_tokens']) ?? known.outputTokensMax,
  };
  const { capabilities: told } = entry;
  if (!isJsonObject(told)) return sized;
  const thinking = isJsonObject(told['thinking']) ? told['thinking'] : {};
  const types = isJsonObject(thinking['types']) ? thinking['types'] : {};
  const { thinking: before } = known;
  return {
    ...sized,
    images: supported(told['image_input']) ?? known.images,
    documents: supported(told['pdf_input']) ?? known.documents,
    jsonSchema: supported(told['structured_outputs']) ?? known.jsonSchema,
    thinking: {
      adaptive: supported(types['adaptive']) ?? before.adaptive,
      enabled: supported(types['enabled']) ?? before.enabled,
      disabled: supported(types['disabled']) ?? before.disabled,
      betweenTools: supported(types['between_tools']) ?? before.betweenTools,
    },
    efforts: toEfforts(told['effort']) ?? known.efforts,
  };
}

const effortNames = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

function toEfforts(told: Json | undefined): readonly WireEffort[] | null {
  if (!isJsonObject(told) || supported(told) === null) return null;
  return supported(told) === true ? effortNames.filter((name) => supported(told[name]) === true) : [];
}

function supported(told: Json | undefined): boolean | null {
  return isJsonObject(told) && typeof told['supported'] === 'boolean' ? told['supported'] : null;
}

function sizeOf(told: Json | undefined): number | null {
  return typeof told === 'number' && Number.isSafeInteger(told) && told > 0 ? told : null;
}
