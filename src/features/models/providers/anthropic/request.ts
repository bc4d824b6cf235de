import { withDigits } from '../../../../kernel/kit/json-digits.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import { objectOf } from '../../../../kernel/kit/json-fields.ts';
import type { FunctionTool, MessagesFields, ModelRequest, ToolChoice } from '../../model.ts';
import { toClosedSchema } from './closed-schema.ts';
import { marked, toMessages } from './messages.ts';
import { type Traits, toWireEffort, type WireEffort } from './traits.ts';

/** A request on the wire, and what reading its answer needs. */
interface WireRequest {
  readonly body: JsonObject;
  /** Name of the tool whose input is the answer itself; null where the answer is text. */
  readonly answerTool: string | null;
  /** Names for the header `anthropic-beta`. */
  readonly betas: readonly string[];
}

/**
 * The wire requires `max_tokens`, and refuses a value above the maximum of the model. So null becomes that maximum, or,
 * where it is unknown, the smallest maximum that a model with this wire ever had.
 */
const outputTokensUnknown = 4_096;

export function toRequest(name: string, traits: Traits, request: ModelRequest): WireRequest {
  const most = traits.outputTokensMax ?? Number.POSITIVE_INFINITY;
  const own = traits.outputTokensMax ?? outputTokensUnknown;
  const maxTokens = Math.max(1, Math.min(most, request.outputTokensMax ?? own));
  const format = planFormat(request, traits);
  const { tools, choice, forced, hint = '' } = planTools(request, traits, format);
  const thinking = toThinking(request, traits, maxTokens, forced);
  const sendsThoughts = traits.thoughts && thinking.field?.['type'] !== 'disabled';
  const { prefill, promptCache: cache } = traits;
  const messages = toMessages(request.turns, { thinking: sendsThoughts, prefill, cache });
  const system = toSystem(request, [format.hint ?? '', hint], cache);
  const { fields, betas } = (traits.messagesFields && request.messagesFields) || noFields;
  const config: JsonObject = {
    ...objectOf(fields['output_config']),
    ...(thinking.effort !== null && { effort: thinking.effort }),
    ...(format.schema && { format: { type: 'json_schema', schema: format.schema } }),
  };
  const stops = request.stop.filter((stop) => stop.trim() !== '');
  return {
    answerTool: format.tool?.name ?? null,
    betas,
    body: {
      ...fields,
      model: name,
      max_tokens: maxTokens,
      stream: true,
      ...(system.length > 0 && { system }),
      messages,
      ...(tools.length > 0 && { tools }),
      ...(choice !== null && { tool_choice: choice }),
      ...(stops.length > 0 && { stop_sequences: stops }),
      ...toSampling(request, traits, thinking.on),
      ...(thinking.field !== null && { thinking: thinking.field }),
      ...(Object.keys(config).length > 0 && { output_config: config }),
    },
  };
}

const noFields: MessagesFields = { fields: {}, betas: [] };

/** The system prompt with its marks, and what has to be said beside it. Blank texts are refused by the wire. */
function toSystem({ system, systemCache = [] }: ModelRequest, hints: readonly string[], cache: boolean) {
  return [...system, ...hints].flatMap((text, index) => {
    const mark = cache ? (systemCache[index] ?? undefined) : undefined;
    return text.trim() === '' ? [] : [marked({ type: 'text', text }, mark)];
  });
}

/** Fields of a prompt; all others are refused when tokens are counted. */
const countedFields = new Set('model messages system tools tool_choice thinking output_config'.split(' '));

export function toCountRequest({ body }: WireRequest): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => countedFields.has(field)));
}

/** At most one is set: a schema for `output_config`, a tool whose input is the answer, a text for the system prompt. */
interface FormatPlan {
  readonly schema?: JsonObject;
  readonly tool?: FunctionTool;
  readonly hint?: string;
}

const answerToolName = 'give_answer';

/** Structured outputs where the model has them and the schema suits, else a tool, else an instruction. */
function planFormat({ format, tools, toolChoice }: ModelRequest, traits: Traits): FormatPlan {
  if (format.type === 'text') return {};
  if (format.type === 'json')
    return { hint: 'Answer with one JSON object and nothing else: no other text, no code fence.' };
  const closed = traits.jsonSchema ? toClosedSchema(format.schema) : null;
  if (closed !== null) return { schema: closed };
  const callsAnyway = tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
  const isTaken = tools.some(({ name }) => name === answerToolName);
  if (traits.forcedTools && format.schema['type'] === 'object' && !callsAnyway && !isTaken) {
    const description = format.description ?? 'Gives the answer. Call it once, with the whole answer.';
    return { tool: { name: answerToolName, description, parameters: format.schema, strict: false } };
  }
  const schema = JSON.stringify(format.schema);
  return {
    hint: `Answer with JSON that fits this JSON Schema and with nothing else: no other text, no code fence.\n${schema}`,
  };
}

interface ToolPlan {
  readonly tools: readonly JsonObject[];
  readonly choice: JsonObject | null;
  /** Whether `choice` leaves no way around a call. */
  readonly forced: boolean;
  /** For the system prompt. */
  readonly hint?: string;
}

function planTools(request: ModelRequest, traits: Traits, { tool }: FormatPlan): ToolPlan {
  const all = tool === undefined ? request.tools : [...request.tools, tool];
  if (all.length === 0) return declaredTools(request);
  const tools = all.map((each) => toTool(each, traits));
  if (tool !== undefined) {
    const only = request.tools.length === 0 || request.toolChoice === 'none';
    const named: JsonObject = only ? { type: 'tool', name: tool.name } : { type: 'any' };
    return { tools, choice: { ...named, disable_parallel_tool_use: true }, forced: true };
  }
  const wanted = toChoice(request.toolChoice);
  const alone: JsonObject =
    request.parallelToolCalls || request.toolChoice === 'none' ? {} : { disable_parallel_tool_use: true };
  const forced = request.toolChoice !== 'auto' && request.toolChoice !== 'none';
  if (!forced || traits.forcedTools) return { tools, choice: { ...wanted, ...alone }, forced };
  const which = typeof request.toolChoice === 'object' ? `the tool ${request.toolChoice.name}` : 'a tool';
  return {
    tools,
    choice: { type: 'auto', ...alone },
    forced: false,
    hint: `You must call ${which} now. Do not answer without it.`,
  };
}

/** Calls in the conversation need their tools declared, even when none is offered any more. */
function declaredTools({ turns }: ModelRequest): ToolPlan {
  const parts = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.parts : []));
  const names = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : [])));
  const tools = [...names].map((name) => ({ name, input_schema: { type: 'object' } }));
  return { tools, choice: tools.length > 0 ? { type: 'none' } : null, forced: false };
}

function toTool(tool: FunctionTool, traits: Traits): JsonObject {
  const { name, description, parameters, strict, known } = tool;
  const mark = traits.promptCache ? tool.cache : undefined;
  if (known !== undefined && traits.knownTools) return marked(known, mark);
  const closed = strict && traits.jsonSchema ? toClosedSchema(parameters) : null;
  const declared = {
    name,
    ...(description !== null && { description }),
    // The wire insists on the type of the root, which schemas of tools without arguments often leave out.
    input_schema: closed ?? { ...withDigits(parameters), type: 'object' },
    ...(closed !== null && { strict: true }),
  };
  return marked(declared, mark);
}

function toChoice(choice: ToolChoice): Record<string, Json> {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}

/** Whether the last round of calls goes without the thoughts that a budget makes the wire ask for. */
function lostThoughts({ turns }: ModelRequest, { thoughts: areSent }: Traits): boolean {
  const round = turns.findLast((turn) => turn.role !== 'tool');
  if (round?.role !== 'assistant') return false;
  if (areSent && round.parts.some(({ type }) => type === 'thought')) return false;
  const calls = round.parts.filter((part) => part.type === 'tool-call');
  return calls.length > 0 && calls.every(({ signature }) => !areSent || signature === undefined);
}

interface Thinking {
  /** The field `thinking`; null leaves it out. */
  readonly field: JsonObject | null;
  /** For `output_config`; null leaves it out. */
  readonly effort: WireEffort | null;
  /** Whether the model thinks in this request, as far as it was asked to. */
  readonly on: boolean;
}

const budgetTokensMin = 1_024;
/** Larger budgets take longer than a connection stays open. */
const budgetTokensMax = 32_000;
/** Shares of `max_tokens`, of which the thoughts are part. */
const budgetShares = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 } as const;

/**
 * Thinking by effort: as the model decides (`adaptive`) with the word for how much, or with a budget on models that want
 * one. It stays off where the wire refuses it: beside a forced tool, a prefill, or when there is no room for a budget.
 */
function toThinking(request: ModelRequest, traits: Traits, maxTokens: number, isForced: boolean): Thinking {
  const { effort } = request;
  if (effort === null) return { field: null, effort: null, on: false };
  const { adaptive, enabled, disabled, betweenTools } = traits.thinking;
  const word = toWireEffort(effort, traits);
  const off = { field: null, effort: word, on: false };
  if (effort === 'none') {
    if (disabled && (adaptive || enabled)) return { field: { type: 'disabled' }, effort: null, on: false };
    return betweenTools ? { field: { type: 'between_tools' }, effort: null, on: false } : off;
  }
  if (isForced || request.turns.at(-1)?.role === 'assistant') return off;
  // `summarized`: newer models leave the text of their thoughts out otherwise.
  if (adaptive) return { field: { type: 'adaptive', display: 'summarized' }, effort: word, on: true };
  if (!enabled || lostThoughts(request, traits) || maxTokens < 2 * budgetTokensMin) return off;
  const asked = request.reasoningTokens ?? Math.floor(maxTokens * budgetShares[effort]);
  // The wire wants room for an answer beside the thoughts.
  const most = Math.min(request.reasoningTokens === undefined ? budgetTokensMax : Infinity, maxTokens - 1);
  const budget = Math.min(most, Math.max(budgetTokensMin, asked));
  return { field: { type: 'enabled', budget_tokens: budget }, effort: word, on: true };
}

/** `temperature`, `top_p` and `top_k`, as far as the model takes them. Penalties and seeds the wire does not know. */
function toSampling(request: ModelRequest, { sampling }: Traits, thinking: boolean): JsonObject {
  const { temperature, topP, topK } = request;
  if (sampling === 'none') return {};
  // Thinking is at temperature 1, and only mild narrowing goes with it.
  if (thinking) return topP !== null && topP >= 0.95 ? { top_p: Math.min(1, topP) } : {};
  const both = sampling === 'both' || temperature === null;
  return {
    ...(temperature !== null && { temperature: clamp(temperature) }),
    ...(topP !== null && both && { top_p: clamp(topP) }),
    ...(topK !== null && topK > 0 && { top_k: topK }),
  };
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
