import { findPreset, type Preset } from '../presets.ts';
import { Fault } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { toFunctionTool, type FunctionTool } from '../../models/feature.ts';
import type { ToolDependencies, ToolRequest, ToolSet } from '../../tools/feature.ts';
import type { AgentRequest } from './schema.ts';
import { isFunction, type BuiltinTool, type Tool } from './tool-schema.ts';

/** The preset of a request. Throws Fault `invalid_preset`. */
export function readPreset({ preset }: AgentRequest): Preset | null {
  if (typeof preset !== 'string') return null;
  const found = findPreset(preset);
  if (found !== null) return found;
  throw new Fault('invalid_preset', `unknown preset "${quote(preset)}"`, { param: 'preset' });
}

/** Functions of the caller. Throws Fault `invalid_tool` for names that are taken. */
export function readFunctions({ tools }: AgentRequest, { reservedNames }: ToolSet): readonly FunctionTool[] {
  const names = new Set<string>();
  return (tools ?? []).flatMap((tool, at) => {
    if (!isFunction(tool)) return [];
    const param = `tools.${at}.name`;
    if (reservedNames.has(tool.name))
      throw new Fault('invalid_tool', `function name "${tool.name}" is reserved`, { param });
    if (names.has(tool.name))
      throw new Fault('invalid_tool', `function name "${tool.name}" is used twice`, { param });
    names.add(tool.name);
    return [toFunctionTool(tool)];
  });
}

/**
 * The built-in tools that a request asks for: those of its preset, and its own over them field by field. Throws Fault
 * `invalid_tool` for one that is named twice or not available, and `invalid_value` for filters.
 */
export function readTools(
  { tools }: AgentRequest,
  preset: Preset | null,
  set: ToolSet,
  dependencies: ToolDependencies,
): readonly ToolRequest[] {
  const under = new Map((preset === null ? [] : presetTools(preset)).map((tool) => [tool.type, tool]));
  const wanted = new Map<string, ToolRequest>();
  for (const [type, sent] of under) {
    const tool = set.find(type);
    if (tool !== undefined) wanted.set(type, { tool, options: tool.toOptions(sent, 'preset') });
  }
  const named = new Set<string>();
  for (const [at, sent] of (tools ?? []).entries()) {
    if (isFunction(sent)) continue;
    const { type } = sent;
    const param = `tools.${at}`;
    if (named.has(type))
      throw new Fault('invalid_tool', `only one "${type}" tool is allowed`, { param: `${param}.type` });
    named.add(type);
    const tool = set.find(type);
    if (tool?.isAvailable(dependencies) !== true)
      throw new Fault('invalid_tool', `tool "${type}" is not available on this server`, {
        param: `${param}.type`,
      });
    wanted.set(type, { tool, options: tool.toOptions(merge(under.get(type), sent), param) });
  }
  return [...wanted.values()];
}

function presetTools({ searchResultsMax, urlsMax }: Preset): readonly BuiltinTool[] {
  const search: BuiltinTool = { type: 'web_search', max_results: searchResultsMax };
  return urlsMax === null ? [search] : [search, { type: 'fetch_url', max_urls: urlsMax }];
}

function merge(under: BuiltinTool | undefined, over: BuiltinTool): BuiltinTool {
  const fields = Object.entries(over).filter(([, value]) => value !== null && value !== undefined);
  return { ...under, ...Object.fromEntries(fields), type: over.type };
}

/** The tools that a request named, as the response repeats them: in its order, functions with all their keys. */
export function toToolEcho(tools: readonly Tool[]): readonly object[] {
  return tools.map((tool) => {
    if (!isFunction(tool)) return tool;
    const { type, name, description = null, parameters = null, strict = null } = tool;
    return { type, name, description, parameters, strict };
  });
}
