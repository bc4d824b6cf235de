import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isDone, tryParse } from '../../answer-body.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { countInto, type TokenCount } from '../../../../kernel/kit/words.ts';
import type { ReceivedEvent } from '../../../../kernel/kit/sse-reader.ts';
import type { FinishReason, ModelEvent, ModelUsage } from '../../model.ts';
import { StopScanner } from '../../stop-scanner.ts';
import { TextChunks } from '../../text-chunks.ts';
import { plainUsage, readCount } from '../../sound-usage.ts';
import { toStreamFault, unusable } from '../../upstream-fault.ts';
import { formatDetails, formatReasoning, ReasoningDetails } from './reasoning.ts';
import { ThinkSplitter } from './think-splitter.ts';
import { ToolCalls } from './tool-calls.ts';
import { isList, listOf, objectOf } from '../../../../kernel/kit/json-fields.ts';

interface ResponseOptions {
  readonly stop: readonly string[];
  readonly thinkTags: boolean;
  /** Names of the functions that the model may call. */
  readonly functions: readonly string[];
  /** The server wants the reasoning before a call back with its result. */
  readonly keepsReasoning?: boolean;
  /** Called when the server reports no usage. Unit: tokens. */
  readonly estimateInput: () => number;
  readonly ids: Ids;
}

/**
 * Reads chunks of a chat completion into events. Pure but for the ids that it makes; throws Fault.
 *
 * - **open**: until a reason to finish is known.
 * - **finishing**: `finish_reason` came, or a stop sequence was found. Usage may still follow, and after a reason text
 *   and calls as well: some servers report early that they stop. The last reason counts.
 * - **done**: `finish` was emitted. Whatever comes after it is dropped.
 */
export class ResponseReader {
  readonly #options: ResponseOptions;
  readonly #stop: StopScanner;
  readonly #think: ThinkSplitter;
  readonly #calls: ToolCalls;
  readonly #texts = new TextChunks();
  /** Before the next call, for a server that wants it back. */
  #reasoning = '';
  readonly #details = new ReasoningDetails();
  /** What `#texts` reads is reasoning. */
  #isReasoning = false;
  #phase: 'open' | 'finishing' | 'done' = 'open';
  #cutShort = false;
  /** The last reason, in the word of the server. */
  #reason = 'stop';
  #stopSequence: string | null = null;
  #usage: ModelUsage | null = null;
  /**
   * Of what was emitted, for an estimate. Counted at once: a piece that is kept keeps the packet that it was cut from, which was
   * 170 bytes a delta.
   */
  readonly #emitted: TokenCount = { tokens: 0, run: 0 };

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.#stop = new StopScanner(options.stop);
    this.#think = new ThinkSplitter(options.thinkTags);
    this.#calls = new ToolCalls(options.functions, options.ids);
  }

  get phase(): 'open' | 'finishing' | 'done' {
    return this.#phase;
  }

  /** The text ended at a stop sequence that the server did not heed, so the rest of its stream is not read. */
  get isCutShort(): boolean {
    return this.#cutShort;
  }

  push(received: readonly ReceivedEvent[]): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    for (const { event, data } of received) {
      if (this.#phase === 'done') break;
      if (isDone(data)) this.#finish(events);
      else if (data !== '') this.#event(data, event, events);
    }
    return events;
  }

  /** Ends the body. Throws Fault `bad_gateway` when neither a reason to finish nor `[DONE]` came. */
  end(): readonly ModelEvent[] {
    if (this.#phase === 'done') return [];
    if (this.#phase === 'open') throw unusable('the stream ended before the answer did');
    const events: ModelEvent[] = [];
    this.#finish(events);
    return events;
  }

  /** A whole completion from a server that does not stream. */
  whole(completion: unknown): readonly ModelEvent[] {
    const events: ModelEvent[] = [];
    this.#chunk(Array.isArray(completion) ? completion[0] : completion, null, events);
    if (!isJsonObject(completion) || !Array.isArray(completion['choices'])) throw unusable('no completion');
    this.#finish(events);
    return events;
  }

  #event(data: string, event: string | null, events: ModelEvent[]): void {
    const known = event === null && !this.#cutShort ? this.#texts.read(data) : null;
    if (known !== null) {
      if (this.#isReasoning) this.#emit('reasoning-delta', known, events);
      else if (known !== '') this.#text(known, events);
      return;
    }
    const chunk = tryParse(data);
    // After its end an answer is complete, whatever follows.
    if (chunk === undefined && this.#phase === 'open') throw unusable('a chunk that is not JSON');
    if (chunk === undefined) return;
    this.#chunk(chunk, event, events);
    const plain = plainTextOf(chunk);
    if (plain !== null && this.#texts.remember(data, plain.name, plain.text))
      this.#isReasoning = plain.name !== 'content';
  }

  #chunk(chunk: unknown, event: string | null, events: ModelEvent[]): void {
    if (!isJsonObject(chunk)) {
      if (this.#phase === 'open') throw unusable('a chunk that is no object');
      return;
    }
    const error = chunk['error'] ?? (event === 'error' || chunk['object'] === 'error' ? chunk : null);
    if (error !== null && error !== '' && error !== false && this.#phase === 'open')
      throw toStreamFault(error, statusOf(error));
    const { usage, x_groq: groq } = chunk;
    if (usage !== undefined || groq !== undefined)
      this.#usage = joinUsage(this.#usage, fromUsage(usage ?? objectOf(groq)['usage']));
    // One answer is asked for; some servers write more, each under an index of its own.
    const choice = listOf(chunk['choices'])?.find((one) => !isJsonObject(one) || isFirst(one));
    if (this.#cutShort || !isJsonObject(choice)) return;
    const delta = choice['delta'] ?? choice['message'];
    if (isJsonObject(delta)) this.#delta(delta, events);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '' && !this.#cutShort) this.#close(reason, choice);
  }

  #delta(delta: JsonObject, events: ModelEvent[]): void {
    const told = this.#details.push(listOf(delta['reasoning_details']) ?? []);
    const reasoning = delta['reasoning_content'] ?? delta['reasoning'] ?? told;
    if (typeof reasoning === 'string') this.#emit('reasoning-delta', reasoning, events);
    const { content } = delta;
    if (typeof content === 'string') {
      if (content !== '') this.#text(content, events);
    } else for (const part of listOf(content) ?? []) this.#part(part, events);
    if (typeof delta['refusal'] === 'string') this.#text(delta['refusal'], events);
    const calls = callsOf(delta);
    if (calls.length > 0 && !this.#cutShort) {
      // A call ends the text before it, so that nothing held back comes after it.
      this.#release(events);
      const first = events.length;
      if (!this.#cutShort) this.#calls.push(calls, events);
      for (const event of events.slice(first)) {
        if (event.type === 'tool-call-delta') this.#count(event.arguments);
      }
      this.#sign(events, first);
    }
  }

  /** Lets the first call carry the reasoning that led to it. */
  #sign(events: ModelEvent[], from: number): void {
    const at = events.findIndex(({ type }, index) => index >= from && type === 'tool-call-start');
    const start = events[at];
    if (start?.type !== 'tool-call-start' || start.signature !== undefined) return;
    const details = this.#details.take();
    if (details !== null) events[at] = { ...start, signature: formatDetails(details, start.id) };
    else if (this.#reasoning !== '') events[at] = { ...start, signature: formatReasoning(this.#reasoning) };
    this.#reasoning = '';
  }

  /** Mistral's reasoning models write content as parts. */
  #part(part: Json, events: ModelEvent[]): void {
    if (typeof part === 'string') this.#text(part, events);
    if (!isJsonObject(part)) return;
    if (part['type'] === 'thinking' && isList(part['thinking'])) {
      for (const inner of part['thinking']) {
        const text = isJsonObject(inner) ? inner['text'] : inner;
        if (typeof text === 'string') this.#emit('reasoning-delta', text, events);
      }
    } else if (typeof part['text'] === 'string') this.#text(part['text'], events);
  }

  #text(piece: string, events: ModelEvent[]): void {
    if (this.#cutShort) return;
    const { reasoning, text } = this.#think.push(piece);
    this.#emit('reasoning-delta', reasoning, events);
    this.#scan(text, events);
  }

  #scan(text: string, events: ModelEvent[]): void {
    if (text === '') return;
    const scanned = this.#stop.push(text);
    this.#emit('text-delta', scanned.text, events);
    if (scanned.stop === null) return;
    this.#phase = 'finishing';
    this.#cutShort = true;
    this.#stopSequence = scanned.stop;
  }

  /** Emits what was held back for more of it. */
  #release(events: ModelEvent[]): void {
    const { reasoning, text } = this.#think.end();
    this.#emit('reasoning-delta', reasoning, events);
    this.#scan(text, events);
    this.#emit('text-delta', this.#stop.end(), events);
  }

  /** Joins deltas of one packet, because each costs a write further on. */
  #emit(type: 'text-delta' | 'reasoning-delta', text: string, events: ModelEvent[]): void {
    if (text === '') return;
    // This wire does not tell where a call ends; what is said next would wait for it.
    if (this.#calls.hasAny) this.#calls.endWhole(events);
    this.#count(text);
    if (type === 'reasoning-delta' && this.#options.keepsReasoning === true) this.#reasoning += text;
    const last = events.at(-1);
    if (last?.type === type) events[events.length - 1] = { type, text: last.text + text };
    else events.push({ type, text });
  }

  /** Usage that is known stays known, and an estimate is not asked for then. */
  #count(text: string): void {
    if (this.#usage !== null) return;
    countInto(this.#emitted, text, 0, text.length);
  }

  #close(reason: string, choice: JsonObject): void {
    if (broken.has(reason)) throw toStreamFault(choice['error'] ?? null, null);
    // vLLM, SGLang.
    const matched = choice['stop_reason'] ?? choice['matched_stop'];
    this.#phase = 'finishing';
    this.#stopSequence = typeof matched === 'string' && this.#options.stop.includes(matched) ? matched : null;
    this.#reason = reason;
  }

  #reasonOf(reason: string): FinishReason {
    const known = reasons[reason] ?? 'end';
    // Gemini and others report `stop` although they called a tool.
    if (known === 'end' && this.#calls.hasAny) return 'tool-calls';
    return known === 'tool-calls' && !this.#calls.hasAny ? 'end' : known;
  }

  /** Also called for `[DONE]` without a reason, which ends the answer as well. */
  #finish(events: ModelEvent[]): void {
    if (!this.#cutShort) this.#release(events);
    const reason = this.#stopSequence === null ? this.#reasonOf(this.#reason) : 'stop-sequence';
    const first = events.length;
    this.#calls.end(reason, events);
    this.#sign(events, first);
    events.push(
      { type: 'usage', usage: this.#usage ?? this.#estimate() },
      { type: 'finish', reason, stopSequence: this.#stopSequence },
    );
    this.#phase = 'done';
  }

  /** For a server that reported no usage, or a stream that was left at a stop sequence. */
  #estimate(): ModelUsage {
    return plainUsage(this.#options.estimateInput(), this.#emitted.tokens);
  }
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'end',
  length: 'length',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  max_output_tokens: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  model_length: 'context-full',
};

/** OpenRouter; DeepSeek; vLLM and SGLang. */
const broken: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource', 'abort']);

/** Pieces of calls; one alone, and the function call that OpenAI had before there were tools, as a list of one. */
function callsOf(delta: JsonObject): readonly unknown[] {
  const { tool_calls: calls, function_call: legacy } = delta;
  if (Array.isArray(calls) && calls.length > 0) return calls;
  if (isJsonObject(calls)) return [calls];
  return isJsonObject(legacy) ? [{ index: 0, function: legacy }] : [];
}

/** The text of a chunk that holds a text or reasoning and nothing else, and its field; null for any other chunk. */
function plainTextOf(chunk: unknown): { readonly name: string; readonly text: string } | null {
  if (!isJsonObject(chunk)) return null;
  const { choices, usage, error, x_groq: groq } = chunk;
  const choice = listOf(choices)?.[0];
  if (!isJsonObject(choice) || !isNone(usage) || !isNone(error) || !isNone(groq)) return null;
  const { delta, finish_reason: reason } = choice;
  if (!isJsonObject(delta) || !isNone(reason) || !isFirst(choice)) return null;
  const { refusal, tool_calls: calls, function_call: legacy, reasoning_details: details } = delta;
  if (![refusal, calls, legacy, details].every(isNone)) return null;
  // An empty `reasoning_content` hides `reasoning`.
  const thought = delta['reasoning_content'] ?? delta['reasoning'];
  const { content } = delta;
  if (isNone(thought) && typeof content === 'string' && content !== '')
    return { name: 'content', text: content };
  if (typeof thought !== 'string' || thought === '' || !isNone(content)) return null;
  return { name: isNone(delta['reasoning_content']) ? 'reasoning' : 'reasoning_content', text: thought };
}

/** Some servers write no index, null, or a text. */
function isFirst({ index }: JsonObject): boolean {
  return index === 0 || index === undefined || index === null || index === '0';
}

function isNone(value: Json | undefined): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function statusOf(error: Json): number | null {
  if (!isJsonObject(error)) return null;
  const { code, status } = error;
  if (typeof code === 'number') return code;
  if (typeof status === 'number') return status;
  return code === 'rate_limit_exceeded' || error['type'] === 'overloaded_error' ? 429 : null;
}

/** Counts are of the whole answer so far. One of nothing, as some servers send last, leaves the count before. */
function joinUsage(before: ModelUsage | null, now: ModelUsage | null): ModelUsage | null {
  if (before === null || now === null) return now ?? before;
  const { input, cacheRead, cacheWrite, ...output } = now;
  return {
    ...before,
    ...(input + cacheRead + cacheWrite !== 0 && { input, cacheRead, cacheWrite }),
    ...(output.output !== 0 && output),
  };
}

/** Reads usage in the shapes in use; null when there are no counts. */
export function fromUsage(usage: Json | undefined): ModelUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = countOf(usage, 'prompt_tokens');
  const completion = countOf(usage, 'completion_tokens');
  if (prompt === null && completion === null) return null;
  const details = objectOf(usage['prompt_tokens_details']);
  // OpenAI and most; DeepSeek; Moonshot.
  const cacheRead =
    countOf(details, 'cached_tokens') ??
    countOf(usage, 'prompt_cache_hit_tokens') ??
    countOf(usage, 'cached_tokens') ??
    0;
  const cacheWrite = countOf(details, 'cache_write_tokens') ?? 0;
  const reasoning = countOf(objectOf(usage['completion_tokens_details']), 'reasoning_tokens') ?? 0;
  // xAI and Gemini leave reasoning out of `completion_tokens` and count it in the total.
  const rest = (countOf(usage, 'total_tokens') ?? 0) - (prompt ?? 0);
  const output = Math.max(completion ?? 0, rest);
  return {
    input: Math.max(0, (prompt ?? 0) - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: Math.min(reasoning > 0 ? reasoning : output - (completion ?? 0), output),
  };
}

function countOf(from: JsonObject, name: string): number | null {
  return readCount(from[name]);
}
