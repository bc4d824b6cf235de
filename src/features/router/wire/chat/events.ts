import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import type { ModelEvent, ModelUsage } from '../../../models/feature.ts';
import { toCallId, toFinishReason, toUsage, type ChatStart } from './body.ts';

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
        const call = `"id":${JSON.stringify(toCallId(event, this.#start))},"type":"function","function":{"name":${JSON.stringify(event.name)},"arguments":""}`;
        out.push(this.#chunk(`{"tool_calls":[{"index":${index},${call}}]}`, null));
        return;
      }
      case 'tool-call-delta': {
        const index = this.#calls.get(event.id);
        if (index === undefined || event.arguments === '') return;
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
      case 'reasoning-delta':
      case 'tool-call-end':
      case 'usage':
    }
  }

  #chunk(delta: string, finish: string | null): ServerSentEvent {
    const reason = finish === null ? 'null' : `"${finish}"`;
    return {
      data: `${this.#head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]}`,
    };
  }
}
