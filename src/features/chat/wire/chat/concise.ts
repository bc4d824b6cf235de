import type { ChatEvent } from '../../events.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import { toReasoningStep, type ChatRecord } from '../chat-record.ts';
import { doneEvent, headOf, toCallPiece, type ChatStream } from './pieces.ts';

const emptyMessage = '{"role":"assistant","content":""}';

/** `stream_mode: concise`: steps, what surrounds the text, pieces of the text, and once the whole. Contract 9.6. */
export class ConciseStream implements ChatStream {
  readonly #record: ChatRecord;
  readonly #head: string;
  #calls = 0;

  constructor(record: ChatRecord) {
    this.#record = record;
    this.#head = headOf(record);
  }

  push(batch: readonly ChatEvent[]): readonly ServerSentEvent[] {
    const out: ServerSentEvent[] = [];
    let text = '';
    const flush = () => {
      if (text !== '') this.#piece(`{"role":"assistant","content":${JSON.stringify(text)}}`, out);
      text = '';
    };
    for (const event of batch) {
      this.#record.push(event);
      if (event.type === 'text') {
        text += event.text;
        continue;
      }
      flush();
      this.#event(event, out);
    }
    flush();
    return out;
  }

  #event(event: Exclude<ChatEvent, { readonly type: 'text' }>, out: ServerSentEvent[]): void {
    const call = (piece: string) =>
      this.#piece(`{"role":"assistant","content":"","tool_calls":[${piece}]}`, out);
    switch (event.type) {
      case 'step':
        if (!this.#record.showsSteps) return;
        this.#chunk(
          'chat.reasoning',
          'message',
          {
            message: emptyMessage,
            delta: `{"role":"assistant","content":"","reasoning_steps":[${JSON.stringify(toReasoningStep(event.step))}]}`,
          },
          '',
          out,
        );
        return;
      case 'grounding':
        this.#reasoningDone(out);
        return;
      case 'call-start':
        call(toCallPiece(this.#calls++, '', event));
        return;
      case 'call-delta':
        call(toCallPiece(this.#calls - 1, event.arguments));
        return;
      case 'end':
        out.push({ data: this.#done() }, doneEvent);
        return;
      case 'call-end':
    }
  }

  #piece(delta: string, out: ServerSentEvent[]): void {
    this.#chunk('chat.completion.chunk', 'message', { message: emptyMessage, delta }, '', out);
  }

  #reasoningDone(out: ServerSentEvent[]): void {
    const { steps } = this.#record;
    const message = `{"role":"assistant","content":"","reasoning_steps":${JSON.stringify(steps)}}`;
    const rest = JSON.stringify({ usage: this.#record.counts(), ...this.#record.media() });
    this.#chunk(
      'chat.reasoning.done',
      'info',
      { message, delta: emptyMessage },
      `,${rest.slice(1, -1)}`,
      out,
    );
  }

  #chunk(
    object: string,
    type: string,
    { message, delta }: { readonly message: string; readonly delta: string },
    rest: string,
    out: ServerSentEvent[],
  ): void {
    const kind = `"object":"${object}","type":"${type}","status":"PENDING"`;
    const choice = `{"index":0,"finish_reason":null,"message":${message},"delta":${delta}}`;
    out.push({ data: `${this.#head},${kind},"choices":[${choice}]${rest}}` });
  }

  #done(): string {
    const { choices, usage, id, model, created } = this.#record.toResponse();
    return JSON.stringify({
      id,
      model,
      created,
      object: 'chat.completion.done',
      type: 'end_of_stream',
      status: 'COMPLETED',
      choices,
      usage,
      ...this.#record.surroundings(),
    });
  }
}
