import { hashSecret } from '../../../../kernel/kit/ids.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import {
  toLowToHigh,
  type Effort,
  type FunctionTool,
  type ModelRequest,
  type OutputFormat,
  type ToolChoice,
} from '../../model.ts';
import { toMessages } from './messages.ts';
import type { Quirks } from './quirks.ts';

/** The body of a chat completion. Settings that are null are left out: the server has defaults of its own. */
export function toRequest(
  model: string,
  request: ModelRequest,
  quirks: Quirks,
  outputTokensMax: number | null,
): JsonObject {
  const { turns, tools, format, temperature, topP, topK, presencePenalty, frequencyPenalty, seed } = request;
  const hint = format.type === 'json-schema' && quirks.format !== 'json_schema' ? [schemaHint(format)] : [];
  const messages = toMessages([...request.system, ...hint], turns, quirks);
  const limit = clip(request.outputTokensMax, outputTokensMax);
  const isStreamed = request.whole !== true || quirks.streamsOnly;
  const continues = turns.at(-1)?.role === 'assistant';
  const body: Record<string, Json> = {
    model,
    messages: continues && quirks.prefill === 'prefix' ? markPrefix(messages) : messages,
    stream: isStreamed,
  };
  // Set one by one, and only what there is: a literal with names from a variable took a fifth of the router's work on a request.
  const set = (name: string, value: Json | undefined): void => {
    if (value !== undefined && value !== null) body[name] = value;
  };
  if (quirks.usageOption && isStreamed) set('stream_options', { include_usage: true });
  if (tools.length > 0)
    Object.assign(body, toTools(tools, request.toolChoice, request.parallelToolCalls, quirks));
  set('response_format', toFormat(format, quirks));
  set(quirks.limit, limit);
  if (quirks.reportsStop && request.stop.length > 0) set('stop', request.stop);
  set('temperature', temperature);
  set('top_p', topP);
  if (quirks.topK) set('top_k', topK);
  set('presence_penalty', presencePenalty);
  set('frequency_penalty', frequencyPenalty);
  set(quirks.seed, seed);
  if (quirks.cacheKey) set('prompt_cache_key', toCacheKey(request));
  if (request.effort !== null) Object.assign(body, toEffort(request.effort, quirks));
  if (continues) Object.assign(body, toContinue(quirks));
  return body;
}

/** 64 letters, as many as OpenAI takes. What a caller wrote may name a user, and another account may write the same. */
function toCacheKey({ cacheKey, account = '' }: ModelRequest): string | undefined {
  return cacheKey === undefined ? undefined : hashSecret(`${account}\n${cacheKey}`);
}

function clip(wanted: number | null, max: number | null): number | null {
  return wanted === null || max === null ? wanted : Math.min(wanted, max);
}

function markPrefix(messages: readonly JsonObject[]): JsonObject[] {
  return messages.map((message, i) => (i === messages.length - 1 ? { ...message, prefix: true } : message));
}

function toContinue({ prefill, effort }: Quirks): JsonObject {
  if (prefill === 'continue') return { continue_final_message: true, add_generation_prompt: false };
  // llama-server refuses to continue where the template would think first.
  return prefill === 'last' && effort === 'template'
    ? { chat_template_kwargs: { enable_thinking: false } }
    : {};
}

function toTools(tools: readonly FunctionTool[], choice: ToolChoice, parallel: boolean, quirks: Quirks) {
  return {
    tools: toFunctions(tools, quirks.strictTools),
    ...(choice === 'auto' ? {} : { tool_choice: toChoice(choice, quirks) }),
    ...(parallel ? {} : { parallel_tool_calls: false }),
  };
}

/** `canBeStrict`: the server enforces the parameters of tools that want it. */
export function toFunctions(tools: readonly FunctionTool[], canBeStrict: boolean) {
  return tools.map(({ name, description, parameters, strict }) => ({
    type: 'function',
    function: {
      name,
      ...(description !== null && { description }),
      parameters,
      ...(strict && canBeStrict && { strict }),
    },
  }));
}

function toChoice(choice: ToolChoice, quirks: Quirks): Json {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.name } };
  return choice === 'required' ? quirks.toolRequired : choice;
}

function toFormat(format: OutputFormat, quirks: Quirks): Json | undefined {
  if (format.type === 'text' || quirks.format === 'none') return undefined;
  if (format.type === 'json' || quirks.format === 'json_object') return { type: 'json_object' };
  const { name, schema, description, strict } = format;
  if (quirks.format === 'json_object_schema') return { type: 'json_object', schema };
  return {
    type: 'json_schema',
    json_schema: { name, ...(description === null ? {} : { description }), schema, strict },
  };
}

/** For servers that enforce JSON but no schema. They also refuse a prompt without the word JSON. */
function schemaHint({ schema }: OutputFormat & { readonly type: 'json-schema' }): string {
  return `Answer with JSON alone, which fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

const lowToHigh = (effort: Effort) => (effort === 'none' ? 'none' : toLowToHigh(effort));

function toEffort(effort: Effort, quirks: Quirks): JsonObject {
  switch (quirks.effort) {
    case 'openai':
      return { reasoning_effort: effort === 'max' ? 'xhigh' : effort };
    case 'low-to-high':
      return { reasoning_effort: lowToHigh(effort) };
    case 'template':
      return effort === 'none'
        ? { chat_template_kwargs: { enable_thinking: false } }
        : { reasoning_effort: lowToHigh(effort) };
    case 'openrouter':
      return {
        reasoning: effort === 'none' ? { enabled: false } : { effort: effort === 'max' ? 'xhigh' : effort },
      };
    case 'deepseek':
      return { thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } };
    case 'none':
      return {};
  }
}
