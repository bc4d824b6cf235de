import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import { fieldsNamed, isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { Services } from '../../../../kernel/feature.ts';
import type { McpRequest, ToolSet } from '../../../tools/feature.ts';
import { efforts, OwnFormat, type AgentRequest } from '../schema.ts';
import { createValidator } from '../../../../kernel/http/validate.ts';
import type { ClientCall } from './calls.ts';
import { readChoice, laterChoice } from './choice.ts';
import type { FilesRequest } from './file-search.ts';
import { toHouseItems, toolsIn } from './history.ts';
import { toMcpEcho } from './mcp-tools.ts';
import { OpenAiResponseRequest } from './schema.ts';
import { placesOf } from './client-tools.ts';
import { readClientTools, type ReadTools } from './tools.ts';

/** A request of OpenAI's as one of the house. */
export interface ReadRequest {
  readonly request: AgentRequest;
  readonly calls: ReadonlyMap<string, ClientCall>;
  /** Places of what has no effect. */
  readonly ignored: readonly string[];
  /** A JSON object without a schema. */
  readonly isJson: boolean;
  readonly echo: object;
  readonly servers: readonly McpRequest[];
  readonly files: FilesRequest | null;
  /** What the run has to call of these; null leaves it to the request. */
  readonly choice: ReturnType<typeof laterChoice>;
}

/** Steps with tools of the server: nothing in a request says how many. */
const stepsDefault = 10;

/** Documented, and nothing here. */
const withoutEffect: ReadonlySet<string> = new Set([
  'prompt_cache_retention',
  'safety_identifier',
  'user',
  'top_logprobs',
]);
/** For models of servers that keep prompts by it. */
const cacheKeyName = 'prompt_cache_key';
const includable: ReadonlySet<string> = new Set([
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'code_interpreter_call.outputs',
]);
export const filesIncluded = 'file_search_call.results';
const known: ReadonlySet<string> = new Set(Object.keys(OpenAiResponseRequest.properties));
/** Read here, and handed on in another form. */
const ownForms = ['reasoning', 'text', 'tools', 'tool_choice', 'include', 'conversation', 'prompt'] as const;
type Passed = Omit<OpenAiResponseRequest, (typeof ownForms)[number]>;
const passedOn = [...known.difference(new Set<string>(ownForms))] as readonly (keyof Passed)[];
const effortNames: ReadonlySet<string> = new Set(efforts);
const ownFormat = createValidator(OwnFormat);

/** Throws Fault `missing_field`, `invalid_value` and `invalid_tool`. */
export function readRequest(
  body: OpenAiResponseRequest,
  set: ToolSet,
  { tools: dependencies, models }: Pick<Services, 'tools' | 'models'>,
): ReadRequest {
  refuseUnserved(body);
  const model = typeof body.model === 'string' ? findModel(body.model, models) : null;
  const input = inputOf(body);
  const places = [
    ...placesOf(body.tools ?? [], 'tools'),
    ...(typeof input === 'string' ? [] : toolsIn(input)),
  ];
  const { tools: canCall = true, cacheKey = false } = models.find(model ?? '')?.capabilities ?? {};
  const all = readClientTools(places, set, dependencies);
  const read = canCall || isForced(body.tool_choice) ? all : withoutFunctions(all);
  const { reasoning, text, tool_choice: choice } = body;
  const effort = reasoning?.effort ?? null;
  const format = readFormat(text?.format ?? null);
  return {
    request: {
      ...fieldsNamed(body, passedOn),
      model,
      input,
      max_steps: body.max_steps ?? (typeof body.preset === 'string' ? null : stepsDefault),
      ...(effort !== null && effortNames.has(effort) && { reasoning: { effort: effort as 'low' } }),
      ...(format.own !== null && { text: { format: format.own } }),
      tools: [...read.tools],
      tool_choice: readChoice(choice ?? 'auto', read),
    },
    calls: read.calls,
    ignored: [...ignoredIn(body, read, cacheKey), ...read.ignored],
    isJson: format.isJson,
    echo: toEcho(body),
    servers: read.servers,
    files: choice === 'none' || body.max_tool_calls === 0 ? null : read.files,
    choice: laterChoice(choice ?? 'auto', read, set.reservedNames),
  };
}

const isForced = (choice: OpenAiResponseRequest['tool_choice']): boolean =>
  typeof choice === 'string' ? choice === 'required' : isJsonObject(choice);

/**
 * For a model that calls none: an answer without tools is better than none. Nor is anything searched for then, because
 * what a client with functions sends last is no question to be searched for as it stands.
 */
function withoutFunctions(read: ReadTools): ReadTools {
  if (read.calls.size === 0 && read.servers.length === 0) return read;
  return { ...read, tools: [], calls: new Map(), servers: [], ignored: [...read.ignored, 'tools'] };
}

/** The name by which the agent asks for a model: an alias may be any name. Throws Fault `invalid_model`. */
export function findModel(name: string, models: Services['models']): string {
  const entry = models.find(name);
  if (entry !== null) return name.includes('/') ? name : entry.id;
  throw new Fault('invalid_model', `The requested model '${quote(name)}' does not exist.`, {
    param: 'model',
  });
}

function refuseUnserved({ prompt }: OpenAiResponseRequest): void {
  if (prompt !== null && prompt !== undefined) throw invalidValue('prompt is not supported', 'prompt');
}

function inputOf({
  input,
  previous_response_id: previous,
  conversation = null,
  generate,
}: OpenAiResponseRequest): string | readonly Json[] {
  if (input !== undefined) return input;
  if (typeof previous === 'string' || conversation !== null || generate === false) return [];
  throw new Fault('missing_field', "Missing required parameter: 'input'.", { param: 'input' });
}

type OwnFormat = NonNullable<NonNullable<AgentRequest['text']>['format']>;

function readFormat(format: object | null): { readonly own: OwnFormat | null; readonly isJson: boolean } {
  if (format === null) return { own: null, isJson: false };
  if ((format as JsonObject)['type'] === 'json_object') return { own: null, isJson: true };
  const problem = ownFormat.explain(format);
  if (problem === null) return { own: format as OwnFormat, isJson: false };
  const param = ['text', 'format', ...problem.path].join('.');
  throw invalidValue(problem.message ?? `Invalid value: '${param}'.`, param);
}

/** Names of what was sent and has no effect. */
function ignoredIn(
  body: OpenAiResponseRequest,
  { files }: ReadTools,
  hasCacheKey: boolean,
): readonly string[] {
  const names = Object.keys(body).filter((name) => {
    const isOfUse = known.has(name) && !withoutEffect.has(name) && (name !== cacheKeyName || hasCacheKey);
    if (isOfUse) return false;
    const value = (body as JsonObject)[name];
    return value !== null && value !== undefined && value !== 0;
  });
  const { truncation, service_tier: tier, text, reasoning, include } = body;
  const effort = reasoning?.effort ?? null;
  return [
    ...names,
    ...(truncation === 'auto' ? ['truncation'] : []),
    ...(typeof tier === 'string' && tier !== 'auto' && tier !== 'default' ? ['service_tier'] : []),
    ...(typeof text?.verbosity === 'string' ? ['text.verbosity'] : []),
    ...(effort !== null && !effortNames.has(effort) ? ['reasoning.effort'] : []),
    ...(include ?? [])
      .filter((one) => !includable.has(one) && (files === null || one !== filesIncluded))
      .map((one) => `include.${one}`),
  ];
}

/** What a response repeats of its request. */
function toEcho(body: OpenAiResponseRequest): object {
  const { reasoning, text } = body;
  return {
    background: body.background ?? false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: summaryOf(body) },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: text?.format ?? { type: 'text' }, ...(text?.verbosity && { verbosity: text.verbosity }) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map((tool) => (tool['type'] === 'mcp' ? toMcpEcho(tool) : tool)),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
  };
}

/** How much of its reasoning a model is to show; null for nothing. */
export function summaryOf({ reasoning }: OpenAiResponseRequest): string | null {
  return reasoning?.summary ?? reasoning?.generate_summary ?? null;
}

/** The items of an input in the words of the house, with the places of those that are not known. */
export function readItems(items: readonly Json[], set: ToolSet) {
  return toHouseItems(items, set.reservedNames, set.itemTypes);
}

/** Reads items that come later; what has no effect in them is added to `ignored`. */
export function itemReader(set: ToolSet, ignored: string[]) {
  return (sent: readonly Json[]) => {
    const read = readItems(sent, set);
    ignored.push(...read.ignored);
    return read.items;
  };
}
