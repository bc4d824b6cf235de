import { countOf, listOf, objectOf } from '../../../../kernel/kit/json-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { endpointOf } from '../../remote-server.ts';
import type { Server } from './server.ts';
import { traitsOf, type Traits, type WireEffort } from './traits.ts';

export interface ListedModel {
  readonly name: string;
  /** Unix time in seconds; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
  readonly traits: Traits;
}

const pageSize = 1_000;
const pagesMax = 20;
const pageTimeoutMs = 10_000;

/**
 * Reads the models of a server, page by page, and reports its health; null without a list. Rejects with the signal's
 * reason when it aborts.
 */
export async function listModels(
  server: Server,
  signal: AbortSignal,
): Promise<readonly ListedModel[] | null> {
  const models = new Map<string, ListedModel>();
  let after = '';
  for (let page = 0; page < pagesMax; page++) {
    const url = endpointOf(server.baseUrl, `/models?limit=${pageSize}${after}`);
    const outcome = await server.list(url, pageTimeoutMs, signal);
    if (!outcome.ok) {
      server.reportUnlisted(outcome);
      return null;
    }
    const { data, has_more: hasMore, last_id: lastId } = objectOf(outcome.body);
    const before = models.size;
    for (const entry of (listOf(data) ?? []).flatMap(toListed)) models.set(entry.name, entry);
    // A server that knows no pages sends the same one again.
    if (hasMore !== true || typeof lastId !== 'string' || models.size === before) break;
    after = `&after_id=${encodeURIComponent(lastId)}`;
  }
  server.report(true);
  return [...models.values()];
}

function toListed(entry: Json): ListedModel[] {
  if (!isJsonObject(entry) || typeof entry['id'] !== 'string' || entry['id'] === '') return [];
  const { id, created_at: createdAt, created, owned_by: owner } = entry;
  const time = typeof createdAt === 'string' ? Date.parse(createdAt) / 1_000 : created;
  const seconds = typeof time === 'number' && Number.isFinite(time) ? Math.max(0, Math.floor(time)) : 0;
  const { ownedBy, traits } = unlisted(id);
  return [
    {
      name: id,
      created: seconds,
      ownedBy: typeof owner === 'string' ? owner : ownedBy,
      traits: toTraits(traits, entry),
    },
  ];
}

/** A model that is known by its name alone. */
export function unlisted(name: string): ListedModel {
  return { name, created: 0, ownedBy: name.includes('claude') ? 'anthropic' : '', traits: traitsOf(name) };
}

/** Traits from the list entry; those that it leaves out follow from the name. */
function toTraits(known: Traits, entry: JsonObject): Traits {
  const sized = {
    ...known,
    contextTokensMax: countOf(entry['max_input_tokens']) ?? known.contextTokensMax,
    outputTokensMax: countOf(entry['max_tokens']) ?? known.outputTokensMax,
  };
  const { capabilities: listed } = entry;
  if (!isJsonObject(listed)) return sized;
  const types = objectOf(objectOf(listed['thinking'])['types']);
  const { thinking: before } = known;
  return {
    ...sized,
    images: supported(listed['image_input']) ?? known.images,
    documents: supported(listed['pdf_input']) ?? known.documents,
    jsonSchema: supported(listed['structured_outputs']) ?? known.jsonSchema,
    thinking: {
      adaptive: supported(types['adaptive']) ?? before.adaptive,
      enabled: supported(types['enabled']) ?? before.enabled,
      disabled: supported(types['disabled']) ?? before.disabled,
      betweenTools: supported(types['between_tools']) ?? before.betweenTools,
    },
    efforts: toEfforts(listed['effort']) ?? known.efforts,
  };
}

const effortNames = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

function toEfforts(efforts: Json | undefined): readonly WireEffort[] | null {
  if (!isJsonObject(efforts) || supported(efforts) === null) return null;
  return supported(efforts) === true ? effortNames.filter((name) => supported(efforts[name]) === true) : [];
}

function supported(feature: Json | undefined): boolean | null {
  return isJsonObject(feature) && typeof feature['supported'] === 'boolean' ? feature['supported'] : null;
}
