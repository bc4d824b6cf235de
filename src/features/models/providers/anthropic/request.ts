import { withDigits } from '../../../../kernel/kit/json-digits.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { FunctionTool, ModelRequest, ToolChoice } from '../../model.ts';
import { toClosedSchema } from './closed-schema.ts';
import { toMessages, type WireMessage } from './messages.ts';
import { toSampling, toThinking } from './settings.ts';
import type { Traits } from './traits.ts';

/** A request on the wire, and what reading its answer needs. */
export interface WireRequest {
  readonly body: JsonObject;
  /** Name of the tool whose input is the answer itself; null where the answer is text. */
  readonly answerTool: string | null;
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
  const { tools, choice, forced, hint: choiceHint } = planTools(request, traits, format);
  const ends = request.turns.at(-1)?.role === 'assistant';
  const thinking = toThinking(request.effort, traits, {
    maxTokens,
    forcedTool: forced,
    prefill: ends,
    thoughtsLost: lostThoughts(request),
  });
  const sendsThoughts = thinking.field?.['type'] !== 'disabled';
  const messages = toMessages(request.turns, { thinking: sendsThoughts, prefill: traits.prefill });
  const system = [...request.system, format.hint, choiceHint].filter((text) => text.trim() !== '');
  const config: JsonObject = {
    ...(thinking.effort !== null && { effort: thinking.effort }),
    ...(format.schema !== null && { format: { type: 'json_schema', schema: format.schema } }),
  };
  const stops = request.stop.filter((stop) => stop.trim() !== '');
  return {
    answerTool: format.tool?.name ?? null,
    body: {
      model: name,
      max_tokens: maxTokens,
      stream: true,
      ...(system.length > 0 && { system: system.map((text) => ({ type: 'text', text })) }),
      messages: messages.map(({ role, content }: WireMessage) => ({ role, content })),
      ...(tools.length > 0 && { tools }),
      ...(choice !== null && { tool_choice: choice }),
      ...(stops.length > 0 && { stop_sequences: stops }),
      ...toSampling(request, traits, thinking.on),
      ...(thinking.field !== null && { thinking: thinking.field }),
      ...(Object.keys(config).length > 0 && { output_config: config }),
    },
  };
}

/** Fields of a prompt; all others are refused when tokens are counted. */
const countedFields = new Set('model messages system tools tool_choice thinking output_config'.split(' '));

export function toCountRequest({ body }: WireRequest): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => countedFields.has(field)));
}

interface FormatPlan {
  /** For `output_config`. */
  readonly schema: JsonObject | null;
  /** A tool whose input is the answer. */
  readonly tool: FunctionTool | null;
  /** For the system prompt; empty for none. */
  readonly hint: string;
}

const noPlan: FormatPlan = { schema: null, tool: null, hint: '' };
const answerToolName = 'give_answer';

/** Structured outputs where the model has them and the schema suits, else a tool, else an instruction. */
function planFormat({ format, tools, toolChoice }: ModelRequest, traits: Traits): FormatPlan {
  if (format.type === 'text') return noPlan;
  if (format.type === 'json') {
    return { ...noPlan, hint: 'Answer with one JSON object and nothing else: no other text, no code fence.' };
  }
  const closed = traits.jsonSchema ? toClosedSchema(format.schema) : null;
  if (closed !== null) return { ...noPlan, schema: closed };
  const callsAnyway = tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
  const isTaken = tools.some(({ name }) => name === answerToolName);
  if (traits.forcedTools && format.schema['type'] === 'object' && !callsAnyway && !isTaken) {
    const description = format.description ?? 'Gives the answer. Call it once, with the whole answer.';
    return {
      ...noPlan,
      tool: { name: answerToolName, description, parameters: format.schema, strict: false },
    };
  }
  const schema = JSON.stringify(format.schema);
  return {
    ...noPlan,
    hint: `Answer with JSON that fits this JSON Schema and with nothing else: no other text, no code fence.\n${schema}`,
  };
}

interface ToolPlan {
  readonly tools: readonly JsonObject[];
  readonly choice: JsonObject | null;
  /** Whether `choice` leaves no way around a call. */
  readonly forced: boolean;
  readonly hint: string;
}

function planTools(request: ModelRequest, traits: Traits, { tool }: FormatPlan): ToolPlan {
  const all = tool === null ? request.tools : [...request.tools, tool];
  if (all.length === 0) return declaredTools(request);
  const tools = all.map((each) => toTool(each, traits));
  if (tool !== null) {
    const only = request.tools.length === 0 || request.toolChoice === 'none';
    const named: JsonObject = only ? { type: 'tool', name: tool.name } : { type: 'any' };
    return { tools, choice: { ...named, disable_parallel_tool_use: true }, forced: true, hint: '' };
  }
  const wanted = toChoice(request.toolChoice);
  const alone: JsonObject =
    request.parallelToolCalls || request.toolChoice === 'none' ? {} : { disable_parallel_tool_use: true };
  const forced = request.toolChoice !== 'auto' && request.toolChoice !== 'none';
  if (!forced || traits.forcedTools) return { tools, choice: { ...wanted, ...alone }, forced, hint: '' };
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
  return { tools, choice: tools.length > 0 ? { type: 'none' } : null, forced: false, hint: '' };
}

function toTool({ name, description, parameters, strict }: FunctionTool, traits: Traits): JsonObject {
  const closed = strict && traits.jsonSchema ? toClosedSchema(parameters) : null;
  return {
    name,
    ...(description !== null && { description }),
    // The wire insists on the type of the root, which schemas of tools without arguments often leave out.
    input_schema: closed ?? { ...withDigits(parameters), type: 'object' },
    ...(closed !== null && { strict: true }),
  };
}

function toChoice(choice: ToolChoice): Record<string, Json> {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}

/** Whether the last round of calls carries none of the thoughts that a budget makes the wire ask for. */
function lostThoughts({ turns }: ModelRequest): boolean {
  const round = turns.findLast((turn) => turn.role !== 'tool');
  if (round?.role !== 'assistant') return false;
  const calls = round.parts.filter((part) => part.type === 'tool-call');
  return calls.length > 0 && calls.every(({ signature }) => signature === undefined);
}
