import { invalidValue } from '../../../../kernel/faults.ts';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { FunctionTool, ToolChoice } from '../../../models/feature.ts';
import { takesParallelCalls, toToolChoice } from '../messages/convert.ts';
import type { Ignored } from './ignored.ts';
import { knownToolOf } from './known-tools.ts';
import type { AnthropicCountRequest, Tool } from './schema.ts';

interface Asked {
  readonly tool_choice?: AnthropicCountRequest['tool_choice'] | undefined;
  /** Null stands for one that runs here. */
  readonly tools: readonly (Tool | null)[];
}

interface ToolPlan {
  readonly tools: readonly FunctionTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
}

const toolName = /^[A-Za-z0-9_-]{1,128}$/;
/** Tools without which a request has no purpose, where they are its only ones. */
const serverTool = /^(?:web_search|web_fetch|code_execution)(?:_\d{8})?$/;

/**
 * The tools that a model is offered. Types that run nowhere here are left out and told; a request that forces one, or
 * that has nothing but tools of the server, throws Fault `invalid_tool`.
 */
export function planTools({ tools: sent, tool_choice: sentChoice }: Asked, ignored: Ignored): ToolPlan {
  const choice = sentChoice ?? undefined;
  const forced = choice?.type === 'tool' ? choice.name : null;
  const left: { readonly label: string; readonly type: string; readonly param: string }[] = [];
  const names = new Set<string>();
  const tools = sent.flatMap((tool, index): FunctionTool[] => {
    if (tool === null) return [];
    const param = `tools.${index}`;
    const read = toFunction(tool, param, ignored);
    if (read === null) {
      const type = tool.type ?? '';
      const label = tool.name ?? type;
      if (label === forced) throw notServed(type, param);
      left.push({ label, type, param });
      ignored.add(param);
      return [];
    }
    if (names.has(read.name)) throw invalidValue('Tool names must be unique', `${param}.name`);
    names.add(read.name);
    return [read];
  });
  const [first] = left;
  const isForced = choice?.type === 'any';
  if (
    first !== undefined &&
    tools.length === 0 &&
    (isForced || left.every(({ type }) => serverTool.test(type)))
  )
    throw notServed(first.type, first.param);
  return { tools, toolChoice: toToolChoice(choice, tools), parallelToolCalls: takesParallelCalls(choice) };
}

/**
 * A plan beside tools that run here, by their names in the request. What is forced may be one of them, which the plan of
 * all others does not know.
 */
export function withServed(
  served: ReadonlyMap<string, string> | null,
  sent: Asked['tool_choice'],
  plan: (choice: Asked['tool_choice']) => ToolPlan,
): ToolPlan & { readonly choice: ToolChoice } {
  const house = sent?.type === 'tool' ? served?.get(sent.name) : undefined;
  const isAny = sent?.type === 'any' && served !== null;
  if (house === undefined && !isAny) {
    const planned = plan(sent);
    return { ...planned, choice: planned.toolChoice };
  }
  const isSerial = sent?.type !== 'none' && sent?.disable_parallel_tool_use === true;
  const planned = plan({ type: 'auto', disable_parallel_tool_use: isSerial });
  return { ...planned, choice: house === undefined ? 'required' : { name: house } };
}

function notServed(type: string, param: string) {
  return invalidValue(`This server does not run the tool '${quote(type)}'`, param);
}

/** Null for a type that is neither a function nor run by clients. */
function toFunction(tool: Tool, param: string, ignored: Ignored): FunctionTool | null {
  const { type, name = '' } = tool;
  if (typeof type === 'string' && type !== 'custom') {
    const { cache_control: _, ...known } = tool as unknown as JsonObject;
    const told = knownToolOf(type, known);
    if (told === null) return null;
    const mark = ignored.markOf(tool, param);
    const named = toolName.test(name) ? name : type.replace(/_\d{8}$/, '');
    return { name: named, ...told, strict: false, known, ...(mark !== null && { cache: mark }) };
  }
  if (!toolName.test(name))
    throw invalidValue('must be 1 to 128 characters of A-Z, a-z, 0-9, _ and -', `${param}.name`);
  const { description, input_schema: schema, strict } = tool;
  if (schema === undefined) throw invalidValue('Field required', `${param}.input_schema`);
  // It names the version of JSON Schema, at which some servers stumble.
  const { $schema: _, ...parameters } = schema;
  const mark = ignored.markOf(tool, param);
  if (tool.defer_loading === true) ignored.add(`${param}.defer_loading`);
  const cache = mark !== null && { cache: mark };
  return { name, description: description || name, parameters, strict: strict === true, ...cache };
}
