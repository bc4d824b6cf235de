import type { ChatEvent } from '../../events.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import type { ChatRecord } from '../chat-record.ts';
import { doneEvent, escapeText, headOf, toCallPiece, type ChatStream } from './pieces.ts';

/**
 * New text is sent when it is this share of all text so far: each chunk carries the whole, so that without it a long
 * answer would cost its length squared. The first 512 units are sent as they come, and a piece is never more than a
 * five-hundredth behind.
 */
const gatherShift = 9;

/**
 * `stream_mode: full`: every chunk carries the whole text so far and everything that surrounds it. Contract 9.5. What
 * does not change is written once; the text grows in its escaped form, so that a chunk costs the copying of its bytes.
 */
export class FullStream implements ChatStream {
  readonly #record: ChatRecord;
  readonly #head: string;
  #tail = '';
  /** The text so far as the inside of a JSON string. */
  #text = '';
  /** Text that was not sent yet. */
  #waiting = '';
  #calls = 0;

  constructor(record: ChatRecord) {
    this.#record = record;
    this.#head = `${headOf(record)},"object":"chat.completion.chunk","type":"message","status":"PENDING","choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"`;
  }

  push(batch: readonly ChatEvent[]): readonly ServerSentEvent[] {
    const out: ServerSentEvent[] = [];
    for (const event of batch) {
      if (event.type === 'call-start' || event.type === 'end') this.#flush(out);
      this.#record.push(event);
      this.#event(event, out);
    }
    if (this.#waiting.length > this.#record.content.length >> gatherShift) this.#flush(out);
    return out;
  }

  #event(event: ChatEvent, out: ServerSentEvent[]): void {
    switch (event.type) {
      case 'grounding':
        this.#tail = `,${JSON.stringify(this.#record.surroundings()).slice(1)}`;
        return;
      case 'text':
        this.#waiting += event.text;
        return;
      case 'call-start':
        this.#chunk('', `,"tool_calls":[${toCallPiece(this.#calls++, '', event)}]`, out);
        return;
      case 'call-delta':
        this.#chunk('', `,"tool_calls":[${toCallPiece(this.#calls - 1, event.arguments)}]`, out);
        return;
      case 'end':
        out.push({ data: this.#last() }, doneEvent);
        return;
      case 'call-end':
      case 'step':
    }
  }

  #flush(out: ServerSentEvent[]): void {
    if (this.#waiting === '') return;
    const piece = escapeText(this.#waiting);
    this.#waiting = '';
    this.#text += piece;
    this.#chunk(piece, '', out);
  }

  #chunk(piece: string, more: string, out: ServerSentEvent[]): void {
    const usage = JSON.stringify(this.#record.counts());
    const delta = `"},"delta":{"role":"assistant","content":"${piece}"${more}}}],"usage":${usage}`;
    out.push({ data: this.#head + this.#text + delta + this.#tail });
  }

  #last(): string {
    const { choices, usage, ...rest } = this.#record.toResponse();
    const ending = { object: 'chat.completion.chunk', type: 'end_of_stream', status: 'COMPLETED' };
    return JSON.stringify({
      id: rest.id,
      model: rest.model,
      created: rest.created,
      ...ending,
      choices,
      usage,
      ...this.#record.surroundings(),
    });
  }
}
