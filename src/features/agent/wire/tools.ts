import { findPreset, type Preset } from '../presets.ts';
import { Fault } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { FunctionTool as ModelFunction } from '../../models/feature.ts';
import { type Place, contextBudgets, refuseConflict, toFilters } from '../../search/feature.ts';
import { isAvailable, type ToolParts, type ToolRequest } from '../../tools/feature.ts';
import type { AgentRequest } from './schema.ts';
import type { BuiltinTool, FunctionTool, Tool } from './tool-schema.ts';

type WebSearch = Extract<BuiltinTool, { type: 'web_search' }>;

/** Names under which tools of ours are known to callers, to models and in bills. */
const reservedNames: ReadonlySet<string> = new Set([
  'web_search',
  'search_web',
  'people_search',
  'search_people',
  'fetch_url',
  'finance_search',
  'sandbox',
  'load_skill',
]);

const resultsDefault = 10;
const urlsDefault = 5;
const pageTokensDefault = 20_000;

/** The preset of a request. Throws Fault `invalid_preset`. */
export function readPreset({ preset }: AgentRequest): Preset | null {
  if (preset === undefined || preset === null) return null;
  const found = findPreset(preset);
  if (found !== null) return found;
  throw new Fault('invalid_preset', `unknown preset "${quote(preset)}"`, { param: 'preset' });
}

/** Functions of the caller. Throws Fault `invalid_tool` for names that are taken. */
export function readFunctions({ tools }: AgentRequest): readonly ModelFunction[] {
  const names = new Set<string>();
  return (tools ?? []).flatMap((tool, at) => {
    if (tool.type !== 'function') return [];
    const param = `tools.${at}.name`;
    if (reservedNames.has(tool.name))
      throw new Fault('invalid_tool', `function name "${tool.name}" is reserved`, { param });
    if (names.has(tool.name))
      throw new Fault('invalid_tool', `function name "${tool.name}" is used twice`, { param });
    names.add(tool.name);
    return [toFunction(tool)];
  });
}

function toFunction({ name, description, parameters, strict }: FunctionTool): ModelFunction {
  return {
    name,
    description: description ?? null,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  };
}

/**
 * Tools of ours that a request wants: those of its preset, and its own over them field by field. Throws Fault
 * `invalid_tool` for one that is named twice or not available, and `invalid_value` for filters.
 */
export function readTools(
  { tools }: AgentRequest,
  preset: Preset | null,
  parts: ToolParts,
): readonly Exclude<ToolRequest, { type: 'load_skill' }>[] {
  const wanted = new Map<string, BuiltinTool>(
    (preset === null ? [] : presetTools(preset)).map((tool) => [tool.type, tool]),
  );
  const named = new Set<string>();
  for (const [at, tool] of (tools ?? []).entries()) {
    if (tool.type === 'function') continue;
    const { type } = tool;
    const param = `tools.${at}`;
    if (named.has(type))
      throw new Fault('invalid_tool', `only one "${type}" tool is allowed`, { param: `${param}.type` });
    named.add(type);
    if (!isAvailable(type, parts))
      throw new Fault('invalid_tool', `tool "${type}" is not available on this server`, {
        param: `${param}.type`,
      });
    if (tool.type === 'web_search') checkFilters(tool, `${param}.filters`);
    wanted.set(type, merge(wanted.get(type), tool));
  }
  return [...wanted.values()].map(toRequest);
}

function presetTools({ searchResultsMax, urlsMax }: Preset): readonly BuiltinTool[] {
  const search: BuiltinTool = { type: 'web_search', max_results: searchResultsMax };
  return urlsMax === null ? [search] : [search, { type: 'fetch_url', max_urls: urlsMax }];
}

function merge(under: BuiltinTool | undefined, over: BuiltinTool): BuiltinTool {
  const fields = Object.entries(over).filter(([, value]) => value !== null && value !== undefined);
  return { ...under, ...(Object.fromEntries(fields) as typeof over) };
}

/** Filters say where they stand in a request of their own; here they stand deeper. */
function checkFilters({ filters }: WebSearch, param: string): void {
  if (filters === undefined || filters === null) return;
  try {
    refuseConflict(filters);
  } catch (error) {
    if (!(error instanceof Fault) || error.param === null) throw error;
    throw new Fault(error.code, error.message, { param: `${param}.${error.param}` });
  }
}

function toRequest(tool: BuiltinTool): Exclude<ToolRequest, { type: 'load_skill' }> {
  switch (tool.type) {
    case 'web_search':
      return {
        type: 'web_search',
        options: {
          filters: toFilters(tool.filters ?? {}),
          place: toPlace(tool.user_location),
          contextSize: tool.search_context_size ?? 'medium',
          resultsMax: tool.max_results ?? resultsDefault,
          tokensMax: tool.max_tokens ?? null,
          tokensPerPageMax: tool.max_tokens_per_page ?? null,
        },
      };
    case 'fetch_url':
      return {
        type: 'fetch_url',
        urlsMax: tool.max_urls ?? urlsDefault,
        tokensMax: tool.total_budget_tokens ?? pageTokensDefault,
      };
    case 'people_search':
      return {
        type: 'people_search',
        tokensMax: tool.max_tokens ?? contextBudgets.medium.tokensMax,
        tokensPerPageMax: tool.max_tokens_per_page ?? contextBudgets.medium.tokensPerPageMax,
      };
    case 'finance_search':
      return { type: 'finance_search' };
    case 'sandbox':
      return { type: 'sandbox', skillFiles: [] };
  }
}

function toPlace(location: WebSearch['user_location']): Place | null {
  if (location === undefined || location === null) return null;
  const { country, region, city, latitude, longitude } = location;
  return {
    country: /^[A-Za-z]{2}$/.test(country ?? '') ? (country ?? '').toUpperCase() : null,
    region: region ?? null,
    city: city ?? null,
    latitude: latitude ?? null,
    longitude: longitude ?? null,
  };
}

/** What a request named, as it is told again: in its order, functions with all their keys. */
export function toToolEcho(tools: readonly Tool[]): readonly object[] {
  return tools.map((tool) => {
    if (tool.type !== 'function') return tool;
    const { type, name, description, parameters, strict } = tool;
    return {
      type,
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? null,
    };
  });
}
