import type { Settings } from '../../../../../kernel/feature.ts';
import { invalidValue } from '../../../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../../kernel/kit/json.ts';
import { createTools, type ToolRequest } from '../../../../tools/feature.ts';
import type { RouterServices } from '../../router.ts';
import type { Ignored } from '../ignored.ts';
import type { Tool } from '../schema.ts';

/** Tools of Anthropic's servers, by their types, and the tools of the house that do the same. */
const houseNames: Readonly<Record<string, string>> = {
  web_search: 'web_search',
  web_fetch: 'fetch_url',
  code_execution: 'sandbox',
};
const serverType = /^(web_search|web_fetch|code_execution)_\d{8}$/;
/** Calls in a row before a model has to answer, where the request does not say. */
export const stepsDefault = 10;

interface Served {
  readonly tools: ReturnType<typeof createTools>;
  /** How many calls they may have together. */
  readonly usesMax: number;
  /** Tools of the house by the names in the request. */
  readonly names: ReadonlyMap<string, string>;
}

export interface SplitTools {
  /** Null where the request has none that runs here. */
  readonly served: Served | null;
  /** All others, in their places. */
  readonly others: readonly (Tool | null)[];
}

/** Tells the tools that run here from those of the caller and those that run nowhere. */
export function splitTools(
  sent: readonly Tool[],
  texts: readonly string[],
  { tools: dependencies }: Pick<RouterServices, 'tools'>,
  { tools: set, agent }: Pick<Settings, 'tools' | 'agent'>,
  ignored: Ignored,
): SplitTools {
  const own = new Set(sent.map(({ name }) => name));
  const requests: ToolRequest[] = [];
  const names = new Map<string, string>();
  let usesMax: number | null = null;
  const others = sent.map((tool, index) => {
    const kind = serverType.exec(tool.type ?? '')?.[1] ?? '';
    const house = houseNames[kind] ?? '';
    const definition = set.find(house);
    const isTaken = house !== kind && own.has(house);
    if (definition?.isAvailable(dependencies) !== true || isTaken) return tool;
    const fields = tool as unknown as JsonObject;
    const param = `tools.${index}`;
    requests.push({
      tool: definition,
      options: definition.toOptions(optionsOf(kind, fields, param, ignored), param),
    });
    names.set(tool.name ?? kind, house);
    const { max_uses: uses } = fields;
    if (typeof uses === 'number') usesMax = (usesMax ?? 0) + uses;
    return null;
  });
  if (requests.length === 0) return { served: null, others };
  const named = agent.fetch === 'seen' ? texts : null;
  const tools = createTools(requests, dependencies, { skills: [], skillFiles: async () => [], named });
  return { served: { tools, usesMax: usesMax ?? Infinity, names }, others };
}

/** The fields of a tool in the words of the house. */
function optionsOf(kind: string, sent: JsonObject, param: string, ignored: Ignored): object {
  const { allowed_domains: allowed, blocked_domains: blocked, user_location: place } = sent;
  if (kind === 'web_search') {
    const domains = [
      ...textsIn(allowed, `${param}.allowed_domains`),
      ...textsIn(blocked, `${param}.blocked_domains`).map((name) => `-${name}`),
    ];
    return {
      ...(domains.length > 0 && { filters: { search_domain_filter: domains } }),
      ...(isJsonObject(place ?? null) && { user_location: toPlace(place as JsonObject) }),
    };
  }
  for (const name of ['allowed_domains', 'blocked_domains'])
    if (textsIn(sent[name], `${param}.${name}`).length > 0) ignored.add(`${param}.${name}`);
  if (kind !== 'web_fetch') return {};
  const { max_content_tokens: tokens } = sent;
  return {
    max_urls: 1,
    ...(typeof tokens === 'number' && { total_budget_tokens: Math.min(Math.max(1, tokens), 120_000) }),
  };
}

function toPlace({ city, region, country }: JsonObject): object {
  const named = Object.entries({ city, region, country });
  return Object.fromEntries(named.filter(([, value]) => typeof value === 'string'));
}

function textsIn(value: Json | undefined, param: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw invalidValue('must be an array of strings', param);
}
