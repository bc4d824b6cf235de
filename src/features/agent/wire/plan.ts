import type { AgentRun } from '../loop.ts';
import type { Preset } from '../presets.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { emptyRequest, type FunctionTool, type Models, type ToolChoice } from '../../models/feature.ts';
import type { ToolRequest } from '../../tools/feature.ts';
import type { AgentRequest, TextFormat } from './schema.ts';
import { isAllowedTools } from './tool-schema.ts';
import { toToolEcho } from './tools.ts';

/** Names of the models that a request asks, in order. Throws Fault `missing_field` and `invalid_model`. */
export function readModels(
  { model, models: list, preset }: AgentRequest,
  roleModel: string | null,
  models: Models,
): readonly [string, ...string[]] {
  if (list) {
    const [first = '', ...others] = list;
    for (const [at, name] of list.entries()) checkModel(name, `models.${at}`, models);
    return [first, ...others];
  }
  if (typeof model === 'string') {
    checkModel(model, 'model', models);
    return [model];
  }
  if (typeof preset === 'string' && roleModel !== null) return [roleModel];
  throw new Fault('missing_field', 'one of model, models or preset is required', { param: 'model' });
}

function checkModel(name: string, param: string, models: Models): void {
  if (!/^[^/\s]+\/\S+$/.test(name))
    throw new Fault('invalid_model', `model "${quote(name)}" is not in provider/model format`, { param });
  if (models.find(name) === null)
    throw new Fault('invalid_model', `model "${quote(name)}" is not supported`, { param });
}

type JsonSchemaFormat = Extract<TextFormat, { type: 'json_schema' }>;

/** The format in its one form; null for text. Throws Fault `invalid_value` when two spellings differ. */
export function readFormat({ response_format: long, text }: AgentRequest): JsonSchemaFormat | null {
  const one = long?.type === 'json_schema' ? { type: 'json_schema' as const, ...long.json_schema } : null;
  const format = text?.format;
  const other = format?.type === 'json_schema' ? format : null;
  if (long && format && canonical(one) !== canonical(other))
    throw invalidValue('response_format and text.format are different', 'response_format');
  return one ?? other;
}

function canonical(format: JsonSchemaFormat | null): string {
  if (format === null) return '';
  const { name, schema, description, strict } = format;
  return JSON.stringify([name, schema, description ?? null, strict ?? null]);
}

interface ChosenTools {
  readonly tools: readonly ToolRequest[];
  readonly functions: readonly FunctionTool[];
  readonly choice: ToolChoice;
}

/** The tools that a run may use, and those that it has to. Throws Fault `invalid_value` for a choice of what is not there. */
export function chooseTools(
  { tool_choice: asked }: AgentRequest,
  tools: readonly ToolRequest[],
  functions: readonly FunctionTool[],
): ChosenTools {
  const all = { tools, functions };
  const isThere = (name: string) =>
    tools.some(({ tool }) => tool.name === name) || functions.some((one) => one.name === name);
  const refuse = (message: string): never => {
    throw invalidValue(message, 'tool_choice');
  };
  const only = (name: string): ChosenTools =>
    isThere(name)
      ? { ...all, choice: { name } }
      : refuse(`tool_choice names "${quote(name)}", which is not among the tools`);
  if (!asked || asked === 'auto') return { ...all, choice: 'auto' };
  if (asked === 'none') return { tools: [], functions, choice: 'none' };
  if (asked === 'required')
    return tools.length + functions.length > 0
      ? { ...all, choice: 'required' }
      : refuse('tool_choice "required" needs tools');
  if (!isAllowedTools(asked))
    return only(
      'name' in asked && (!('type' in asked) || asked.type === 'function') ? asked.name : asked.type,
    );
  const names = new Set(
    asked.tools.map(({ type, name }) => (type === 'function' ? (name ?? '') : (name ?? type))),
  );
  const missing = [...names].find((name) => !isThere(name));
  if (missing !== undefined) return only(missing);
  return {
    // Callers cannot name a tool that comes by itself.
    tools: tools.filter(({ tool }) => names.has(tool.name) || tool.request === null),
    functions: functions.filter(({ name }) => names.has(name)),
    choice: asked.mode,
  };
}

interface PromptOptions {
  readonly request: AgentRequest;
  readonly preset: Preset | null;
  /** Of system and developer messages. */
  readonly system: readonly string[];
  readonly searches: boolean;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** Instructions in order: of the preset or the caller, of the messages, then what the request asks by field. */
export function toSystem({ request, preset, system, searches, today }: PromptOptions): readonly string[] {
  const own = request.instructions ?? preset?.prompt ?? '';
  const language = request.language_preference ?? null;
  return [
    ...(own === '' ? [] : [own]),
    ...system,
    ...(searches ? [`Today is ${today}.`] : []),
    ...(language === null ? [] : [`Answer in ${languageName(language)}.`]),
  ];
}

/** English name of a language. Throws Fault `invalid_value` for anything but an ISO 639-1 code. */
export function languageName(code: string): string {
  const name = /^[a-z]{2}$/i.test(code)
    ? new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(code.toLowerCase())
    : undefined;
  if (name !== undefined) return name;
  throw invalidValue('language_preference must be an ISO 639-1 code', 'language_preference');
}

export function toModelSettings(
  request: AgentRequest,
  preset: Preset | null,
  reasons: boolean,
): Omit<AgentRun['request'], 'system' | 'turns' | 'format'> {
  const effort = request.reasoning?.effort ?? preset?.effort ?? null;
  return {
    ...emptyRequest,
    outputTokensMax: request.max_output_tokens ?? preset?.outputTokensMax ?? null,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    presencePenalty: request.presence_penalty ?? null,
    frequencyPenalty: request.frequency_penalty ?? null,
    // A model that does not reason may not know the word for it.
    effort: reasons ? effort : null,
    ...(request.prompt_cache_key && { cacheKey: request.prompt_cache_key }),
  };
}

/** What a response repeats of its request, after `usage` and in the order of the wire. Contract 7.4. */
export function toEcho(
  request: AgentRequest,
  preset: Preset | null,
  format: JsonSchemaFormat | null,
): object {
  const { reasoning } = request;
  return {
    background: request.background ?? false,
    store: request.store ?? true,
    previous_response_id: request.previous_response_id ?? null,
    instructions: request.instructions ?? null,
    metadata: request.metadata ?? {},
    max_output_tokens: request.max_output_tokens ?? preset?.outputTokensMax ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    max_steps: stepsOf(request, preset),
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    top_logprobs: request.top_logprobs ?? 0,
    reasoning: reasoning ? { effort: reasoning.effort ?? null, summary: null } : null,
    service_tier: 'default',
    text: { format: format === null ? { type: 'text' } : toFormatEcho(format) },
    tool_choice: request.tool_choice ?? 'auto',
    tools: toToolEcho(request.tools ?? []),
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
  };
}

export function stepsOf(request: AgentRequest, preset: Preset | null): number {
  return request.max_steps ?? preset?.stepsMax ?? 1;
}

function toFormatEcho({ name, schema, strict, description }: JsonSchemaFormat) {
  return { type: 'json_schema', name, schema, strict: strict ?? true, description: description ?? null };
}
