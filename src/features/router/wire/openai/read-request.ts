import { listOf } from '../../../../kernel/kit/json-fields.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { createValidator } from '../../../../kernel/http/validate.ts';
import { problemToFault } from '../../../../kernel/http/validation-errors.ts';
import { fieldsNamed, isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import { customParameters, describeCustom, type CatalogEntry } from '../../../models/feature.ts';
import { RouterChatRequest } from '../chat/schema.ts';

export interface ReadChat {
  readonly body: RouterChatRequest;
  /** Places of what has no effect. */
  readonly ignored: readonly string[];
  /** Names of tools with freeform input. */
  readonly custom: ReadonlySet<string>;
  /** For a model whose server keeps prompts by it. */
  readonly cacheKey: string | null;
}

const known: ReadonlySet<string> = new Set(Object.keys(RouterChatRequest.properties));
const efforts: ReadonlySet<Json | undefined> = new Set([
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
]);
const router = createValidator(RouterChatRequest);

/**
 * A request of OpenAI's for a model as the router takes it. Tools with freeform input become functions; those that run at
 * the vendor are left out. Throws Fault `invalid_value` and `missing_field`, and `invalid_tool` for one that was left out
 * and has to be called.
 */
export function readChat(sent: JsonObject, capabilities: CatalogEntry['capabilities']): ReadChat {
  const { prompt_cache_key: named = null } = sent;
  const cacheKey = capabilities.cacheKey === true && typeof named === 'string' && named !== '' ? named : null;
  const isOfUse = (name: string) =>
    name === 'prompt_cache_key' ? cacheKey !== null : known.has(name) && name !== 'user';
  const ignored = Object.keys(sent).filter((name) => !isOfUse(name) && sent[name] !== null);
  const {
    n = null,
    reasoning_effort: effort = null,
    tools = null,
    tool_choice: choice = null,
    ...rest
  } = fieldsNamed(sent, [...known]);
  if (typeof n === 'number' && n > 1) ignored.push('n');
  if (effort !== null && !efforts.has(effort)) ignored.push('reasoning_effort');
  const read = readTools(tools, ignored);
  const body = {
    ...rest,
    messages: toMessages(sent['messages'] ?? null),
    ...(efforts.has(effort) && { reasoning_effort: effort }),
    ...readChoice(choice, read),
  };
  const problem = router.explain(body);
  if (problem !== null) throw problemToFault('openai', problem);
  // What was explained to be none has no problem.
  return { body: body as unknown as RouterChatRequest, ignored, custom: read.custom, cacheKey };
}

interface ReadTools {
  readonly tools: readonly Json[] | null;
  readonly custom: ReadonlySet<string>;
  readonly leftOut: ReadonlySet<string>;
}

function readTools(sent: Json, ignored: string[]): ReadTools {
  const custom = new Set<string>();
  const leftOut = new Set<string>();
  if (!Array.isArray(sent)) return { tools: null, custom, leftOut };
  const tools = (sent as readonly Json[]).flatMap((tool, at): readonly Json[] => {
    if (!isJsonObject(tool)) return [tool];
    const { type } = tool;
    if (type === 'function') return [tool];
    if (type === 'custom' && isJsonObject(tool['custom'])) {
      const { name, description, format } = tool['custom'];
      if (typeof name === 'string') custom.add(name);
      const told = describeCustom(typeof description === 'string' ? description : null, format);
      return [
        toFunction({
          name: name ?? '',
          parameters: customParameters,
          ...(told !== null && { description: told }),
        }),
      ];
    }
    if (typeof type !== 'string') return [tool];
    leftOut.add(type);
    ignored.push(`tools.${at}.${type}`);
    return [];
  });
  return { tools, custom, leftOut };
}

const toFunction = (definition: JsonObject): Json => ({ type: 'function', function: definition });

function readChoice(choice: Json, { tools, leftOut }: ReadTools): JsonObject {
  const all = tools === null ? {} : { tools };
  if (choice === null) return all;
  if (!isJsonObject(choice)) {
    const [type] = leftOut;
    if (choice === 'required' && (tools ?? []).length === 0 && type !== undefined) refuse(type);
    return { ...all, tool_choice: choice };
  }
  const { type, custom, allowed_tools: allowed } = choice;
  if (type === 'custom' && isJsonObject(custom)) return { ...all, tool_choice: toFunction(custom) };
  if (type === 'allowed_tools' && isJsonObject(allowed)) return onlyAllowed(allowed, tools ?? []);
  if (typeof type === 'string' && leftOut.has(type)) refuse(type);
  return { ...all, tool_choice: choice };
}

function refuse(type: string): never {
  throw new Fault('invalid_tool', `Tool '${quote(type)}' is not available on this server.`, {
    param: 'tool_choice',
  });
}

function onlyAllowed({ mode = 'auto', tools: names }: JsonObject, tools: readonly Json[]): JsonObject {
  const allowed = new Set(
    (listOf(names) ?? []).map((one) => {
      const named = isJsonObject(one) ? (one['function'] ?? one['custom']) : null;
      return isJsonObject(named) ? named['name'] : null;
    }),
  );
  const isAllowed = (tool: Json) =>
    isJsonObject(tool) && isJsonObject(tool['function']) && allowed.has(tool['function']['name'] ?? '');
  return { tools: tools.filter(isAllowed), tool_choice: mode };
}

/** Freeform calls of the history as those of functions. */
function toMessages(messages: Json): Json {
  if (!Array.isArray(messages)) return messages;
  return (messages as readonly Json[]).map((message) => {
    if (!isJsonObject(message) || !Array.isArray(message['tool_calls'])) return message;
    return { ...message, tool_calls: (message['tool_calls'] as readonly Json[]).map(toCall) };
  });
}

function toCall(call: Json): Json {
  if (!isJsonObject(call) || call['type'] !== 'custom' || !isJsonObject(call['custom'])) return call;
  const { name = '', input = '' } = call['custom'];
  return { id: call['id'] ?? '', type: 'function', function: { name, arguments: JSON.stringify({ input }) } };
}
