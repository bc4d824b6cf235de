import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import { inputOf, type FinishReason, type ModelEvent, type ModelUsage } from '../../../models/feature.ts';
import type { AnswerStart, CallStart, CollectedAnswer, Finish } from '../answer.ts';

const finishReasons: Readonly<Record<FinishReason, string>> = {
  end: 'stop',
  length: 'length',
  'stop-sequence': 'stop',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  'context-full': 'length',
};

function toFinishReason({ reason }: Finish, hasCalls: boolean): string {
  return hasCalls && reason === 'end' ? 'tool_calls' : finishReasons[reason];
}

function toUsage({ input, output, cacheRead, cacheWrite, reasoning }: ModelUsage) {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

interface ChatStart extends AnswerStart {
  /** Unix time in seconds. */
  readonly created: number;
  /** Names of tools whose calls are one text. */
  readonly custom: ReadonlySet<string>;
}

/** The id of the backend, or a new one for a call whose signature is kept under it. */
export function toCallId({ id, signature }: CallStart, { newId, onSigned }: ChatStart): string {
  if (signature === undefined) return id;
  const own = newId('call_');
  onSigned(own, signature);
  return own;
}

/** A complete answer as one completion. Throws Fault `bad_gateway` for an answer without an end. */
export function toCompletion(start: ChatStart, answer: CollectedAnswer, usage: ModelUsage) {
  const { id, created, model } = start;
  const { finish, calls } = answer;
  const content = answer.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
  const tool_calls = calls.map(({ id: call, name, text }) =>
    start.custom.has(name)
      ? { id: call, type: 'custom', custom: { name, input: inputOf(text) } }
      : { id: call, type: 'function', function: { name, arguments: text || '{}' } },
  );
  const hasCalls = calls.length > 0;
  const message = {
    role: 'assistant',
    content: content === '' && hasCalls ? null : content,
    refusal: null,
    ...(hasCalls && { tool_calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: toFinishReason(finish, hasCalls) };
  // Clients of OpenRouter refuse a reply without the fingerprint. Null, because it would reveal the backend.
  const head = { id, object: 'chat.completion', created, model };
  return { ...head, choices: [choice], usage: toUsage(usage), system_fingerprint: null };
}

export const doneEvent: ServerSentEvent = { data: '[DONE]' };

const firstDelta = '{"role":"assistant","content":"","refusal":null}';

/** Encodes the events of a model as chunks of the chat-completions stream, batch by batch. */
export class ChatEncoder {
  /** Every chunk up to its `choices`. */
  readonly #head: string;
  readonly #start: ChatStart;
  readonly #usage: (() => ModelUsage) | null;
  /** Position of each call, by id. */
  readonly #calls = new Map<string, number>();
  /** Calls that are one text, which is known at their end. */
  readonly #custom = new Map<string, { readonly id: string; readonly name: string; text: string }>();
  #started = false;

  /** `usage` is called at the end; null leaves usage out. */
  constructor(start: ChatStart, usage: (() => ModelUsage) | null) {
    const { id, created, model } = start;
    this.#start = start;
    const head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.#head = `${head.slice(0, -1)},"choices":[`;
    this.#usage = usage;
  }

  push(batch: readonly ModelEvent[]): readonly ServerSentEvent[] {
    const out: ServerSentEvent[] = [];
    if (!this.#started) {
      this.#started = true;
      out.push(this.#chunk(firstDelta, null));
    }
    for (const event of batch) this.#event(event, out);
    return out;
  }

  #event(event: ModelEvent, out: ServerSentEvent[]): void {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') out.push(this.#chunk(`{"content":${JSON.stringify(event.text)}}`, null));
        return;
      case 'tool-call-start': {
        const index = this.#calls.size;
        this.#calls.set(event.id, index);
        if (this.#start.custom.has(event.name)) {
          this.#custom.set(event.id, { id: toCallId(event, this.#start), name: event.name, text: '' });
          return;
        }
        const call = `"id":${JSON.stringify(toCallId(event, this.#start))},"type":"function","function":{"name":${JSON.stringify(event.name)},"arguments":""}`;
        out.push(this.#chunk(`{"tool_calls":[{"index":${index},${call}}]}`, null));
        return;
      }
      case 'tool-call-delta': {
        const index = this.#calls.get(event.id);
        if (index === undefined || event.arguments === '') return;
        const custom = this.#custom.get(event.id);
        if (custom !== undefined) {
          custom.text += event.arguments;
          return;
        }
        const piece = `"function":{"arguments":${JSON.stringify(event.arguments)}}`;
        out.push(this.#chunk(`{"tool_calls":[{"index":${index},${piece}}]}`, null));
        return;
      }
      case 'finish':
        out.push(this.#chunk('{}', toFinishReason(event, this.#calls.size > 0)));
        if (this.#usage !== null) {
          out.push({ data: `${this.#head}],"usage":${JSON.stringify(toUsage(this.#usage()))}}` });
        }
        out.push(doneEvent);
        return;
      case 'tool-call-end':
        this.#endCustom(event.id, out);
        return;
      case 'reasoning-delta':
      case 'thought':
      case 'usage':
    }
  }

  #endCustom(callId: string, out: ServerSentEvent[]): void {
    const custom = this.#custom.get(callId);
    if (custom === undefined) return;
    const { id, name, text } = custom;
    const call = {
      index: this.#calls.get(callId),
      id,
      type: 'custom',
      custom: { name, input: inputOf(text) },
    };
    out.push(this.#chunk(JSON.stringify({ tool_calls: [call] }), null));
  }

  #chunk(delta: string, finish: string | null): ServerSentEvent {
    const reason = finish === null ? 'null' : `"${finish}"`;
    return {
      data: `${this.#head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]}`,
    };
  }
}
