import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import type { Trial } from '../../kernel/kit/trial.ts';

/** How long a backend with a cache of prompts keeps the prompt up to here; others pass it over. */
export type CacheMark = '5m' | '1h';

interface Markable {
  readonly cache?: CacheMark;
}

/** What a person or a program says to a model. It never holds addresses: what they point to is fetched before. */
export type UserPart = Markable &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly mediaType: string; readonly base64: string }
    | {
        readonly type: 'document';
        readonly mediaType: string;
        readonly base64: string;
        readonly title: string | null;
      }
  );

/** Reasoning that its model signed and wants back, unchanged and in its place. Opaque to us and to other models. */
export interface Thought {
  /** Null where the model hides it. */
  readonly text: string | null;
  /** Of a hidden thought, the thought itself, encrypted. */
  readonly signature: string;
}

export interface ToolCall {
  /** The id that the model gave it; unique within one turn. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  /** Opaque to us: some models want it back with the result of the call. */
  readonly signature?: string;
}

export type AssistantPart = Markable &
  (
    | { readonly type: 'text'; readonly text: string }
    | ({ readonly type: 'thought' } & Thought)
    /** Reasoning as OpenRouter and its like tell of it, which a caller brought back. Opaque to us and to other wires. */
    | { readonly type: 'reasoning-details'; readonly details: readonly JsonObject[] }
    | ({ readonly type: 'tool-call' } & ToolCall)
  );

export interface ToolResult extends Markable {
  readonly callId: string;
  readonly name: string;
  readonly parts: readonly UserPart[];
  readonly isError: boolean;
}

/**
 * One turn. User and assistant turns may follow each other in any order here; a provider whose wire wants them to
 * alternate merges them. An assistant turn at the end is a prefill that the answer continues.
 */
export type Turn =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export interface FunctionTool extends Markable {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, Json>>;
  readonly strict: boolean;
  /** The declaration on the Messages wire of a tool that its models know by themselves. */
  readonly known?: JsonObject;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export type OutputFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly name: string;
      readonly schema: Readonly<Record<string, Json>>;
      readonly description: string | null;
      readonly strict: boolean;
    };

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** An effort on the scale of models that know three levels. */
export function toLowToHigh(effort: Exclude<Effort, 'none'>): 'low' | 'medium' | 'high' {
  if (effort === 'minimal' || effort === 'low') return 'low';
  return effort === 'medium' ? 'medium' : 'high';
}

/** Text of others that an answer may rest on: data, never instructions. */
export interface SourcePassage {
  /** The number in a citation `[n]`. */
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** A request in the terms of no wire. Null leaves a setting to the model. */
export interface ModelRequest {
  /** Instructions of the operator and the caller, in order; data of others never stands here. */
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly tools: readonly FunctionTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly format: OutputFormat;
  /** Unit: tokens. Clipped to what the model can do, never refused. */
  readonly outputTokensMax: number | null;
  readonly stop: readonly string[];
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly seed: number | null;
  readonly effort: Effort | null;
  /** Of reasoning, where the caller sets them in place of an effort. Unit: tokens. */
  readonly reasoningTokens?: number;
  /** Marks of `system`, by index. */
  readonly systemCache?: readonly (CacheMark | null)[];
  /** A name of the caller's for prompts that begin alike. A backend that keeps prompts by such names gets a digest of it. */
  readonly cacheKey?: string;
  /** What only the Messages wire has, for backends that have all of it. */
  readonly messagesFields?: MessagesFields;
  /** Search results, for models that do not generate; for others the caller puts them into the turns, as data. */
  readonly sources?: readonly SourcePassage[];
  /** Whose request it is, for what accounts share; the server's own without it. It is not sent to backends. */
  readonly account?: string;
  /** The answer is short and not streamed: a backend may send it in one piece. */
  readonly whole?: boolean;
}

/** Fields and names of betas as they stand on the Messages wire. */
export interface MessagesFields {
  readonly fields: JsonObject;
  readonly betas: readonly string[];
}

/** A request without content that leaves every setting to the model. */
export const emptyRequest: ModelRequest = {
  system: [],
  turns: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  outputTokensMax: null,
  stop: [],
  temperature: null,
  topP: null,
  topK: null,
  presencePenalty: null,
  frequencyPenalty: null,
  seed: null,
  effort: null,
};

/** Unit: tokens. `input` is without cached ones, `output` with reasoning. NaN is no count and gets estimated. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export type FinishReason =
  | 'end'
  | 'length'
  | 'stop-sequence'
  | 'tool-calls'
  | 'content-filter'
  /** The context window is full. */
  | 'context-full';

export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** The end of a piece of reasoning that its model signed, after the deltas of its text. */
  | ({ readonly type: 'thought' } & Thought)
  | {
      readonly type: 'tool-call-start';
      readonly id: string;
      readonly name: string;
      readonly signature?: string;
    }
  /** A piece of the JSON text of the arguments; pieces of different calls may alternate. */
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly arguments: string }
  /** `isCut`: a filter ended the answer within the arguments, so the call is not to be run. */
  | { readonly type: 'tool-call-end'; readonly id: string; readonly isCut?: true }
  /** Replaces the usage that was reported before. */
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** The last event of every stream that did not throw. */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      /** The stop sequence that ended the text, where it is known; the text does not contain it. */
      readonly stopSequence: string | null;
    };

export interface Capabilities {
  readonly tools: boolean;
  /** A JSON Schema is enforced while the answer is made; without it the caller validates and asks again. */
  readonly jsonSchema: boolean;
  readonly images: boolean;
  /** PDF and other documents as they are. */
  readonly documents: boolean;
  readonly reasoning: boolean;
  readonly prefill: boolean;
  /** Prompts are cached up to the marks of a request. */
  readonly promptCache?: boolean;
  /** Prompts are kept by `cacheKey`. */
  readonly cacheKey?: boolean;
  /** `messagesFields` are passed on. */
  readonly messagesFields?: boolean;
  /** False for the extractive default, which quotes its sources and writes nothing of its own. */
  readonly generates: boolean;
}

/**
 * One model behind one backend: parts in, events out. The spec of `models/providers`; consumers of a stream see the same
 * order whatever the wire was.
 *
 * Events come in batches: those that arrived in one packet of the backend come together, so that one wake-up and one
 * write serve them all. Every stream holds, which the family suite checks:
 * - every `tool-call-start` has a non-empty id, unique in the stream, and its `tool-call-end` before `finish`;
 *   concatenated deltas are the arguments as the backend wrote them, a JSON object, `{}` for a call without any. Where
 *   they are missing or cut the stream throws, unless a filter cut the answer: then the call ends with `isCut`;
 * - the last event is `finish`, after at least one `usage`. A stream that breaks off throws instead: never a false end;
 * - no part of a stop sequence is emitted, wherever the backend splits it.
 */
export interface Model {
  /** Name at the backend. */
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Unit: tokens; null where it is not known. */
  readonly contextTokensMax: number | null;
  readonly outputTokensMax: number | null;
  /**
   * Throws Fault `service_unavailable` (away or busy; carries the wait that was asked for), `gateway_timeout`,
   * `bad_gateway` (garbage, cut stream, 5xx), `context_length_exceeded`, `invalid_value` (the backend refused the
   * request itself); rejects with the signal's reason when it aborts.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  /** Counts the tokens that `stream` would read. Exact where the backend can count, else an estimate. Unit: tokens. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

/** USD per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface OfferedModel {
  readonly model: Model;
  /** Unix time in seconds; 0 if unknown. */
  readonly created: number;
  readonly ownedBy: string;
  /** Null where no price is known. */
  readonly price: ModelPrice | null;
  readonly router: boolean;
}

/** One configured backend: an account at a service, a server of one's own, a file. */
export interface Provider {
  /** Prefix of its models: `name/model`. */
  readonly name: string;
  /** Word of the configuration, for logs. */
  readonly type: string;
  /**
   * The models that it offers now. The list of a server is kept and refreshed; it is empty until the server has answered.
   * Entries stay the same objects until something about them changes, so that readers can cache by them.
   */
  models(): readonly OfferedModel[];
  /** Known from the last calls, without a request. */
  health(): 'ok' | 'down';
  /** Asks the backend for its models once more. Never rejects; a failure makes `health` say so. */
  refresh(signal: AbortSignal): Promise<void>;
  /** What came of asking a server for its list the last time; null before that, absent where there is no list. */
  lastList?(): Trial | null;
  close(): Promise<void>;
}
