import type { ChatEvent } from '../../events.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import { toReasoningStep, type ChatRecord } from '../chat-record.ts';

/** Turns the events of one answer into what is sent, batch by batch. */
export interface ChatStream {
  push(batch: readonly ChatEvent[]): readonly ServerSentEvent[];
}

export const doneEvent: ServerSentEvent = { data: '[DONE]' };

/** The inside of a JSON string. Halves of a surrogate pair stay halves, and are one again when they stand together. */
function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The beginning of every chunk, without its end. */
function headOf({ head }: ChatRecord): string {
  const { id, modelName, created } = head;
  return JSON.stringify({ id, model: modelName, created }).slice(0, -1);
}

/** The last chunk: the whole reply under another `object`. */
function toLast(record: ChatRecord, object: string): ServerSentEvent {
  const { choices, usage, id, model, created } = record.toResponse();
  const ending = { object, type: 'end_of_stream', status: 'COMPLETED', choices, usage };
  return {
    data: JSON.stringify({
      id,
      model,
      created,
      ...ending,
      ...record.surroundings(),
      ...record.verification(),
    }),
  };
}

/** A piece of a call; the first one has its name. */
function toCallPiece(
  index: number,
  args: string,
  start?: Extract<ChatEvent, { readonly type: 'call-start' }>,
): string {
  if (start === undefined) return JSON.stringify({ index, function: { arguments: args } });
  const { callId: id, name } = start;
  return JSON.stringify({ index, id, type: 'function', function: { name, arguments: args } });
}

/**
 * New text is sent when it is this share of all text so far: each chunk carries the whole, so that a long answer would
 * otherwise cost its length squared. The first 512 units are sent as they come, and a piece is never more than a
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
  #out: ServerSentEvent[] = [];
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
    this.#out = [];
    for (const event of batch) {
      if (event.type === 'call-start' || event.type === 'end') this.#flush();
      this.#record.push(event);
      this.#event(event);
    }
    if (this.#waiting.length > this.#record.content.length >> gatherShift) this.#flush();
    return this.#out;
  }

  #event(event: ChatEvent): void {
    switch (event.type) {
      case 'grounding':
        this.#tail = `,${JSON.stringify(this.#record.surroundings()).slice(1)}`;
        return;
      case 'text':
        this.#waiting += event.text;
        return;
      case 'call-start':
        return this.#chunk('', `,"tool_calls":[${toCallPiece(this.#calls++, '', event)}]`);
      case 'call-delta':
        return this.#chunk('', `,"tool_calls":[${toCallPiece(this.#calls - 1, event.arguments)}]`);
      case 'end':
        this.#out.push(toLast(this.#record, 'chat.completion.chunk'), doneEvent);
        return;
      case 'call-end':
      case 'verification':
      case 'step':
    }
  }

  #flush(): void {
    if (this.#waiting === '') return;
    const piece = escapeText(this.#waiting);
    this.#waiting = '';
    this.#text += piece;
    this.#chunk(piece, '');
  }

  #chunk(piece: string, more: string): void {
    const usage = JSON.stringify(this.#record.counts());
    const delta = `"},"delta":{"role":"assistant","content":"${piece}"${more}}}],"usage":${usage}`;
    this.#out.push({ data: this.#head + this.#text + delta + this.#tail });
  }
}

const emptyMessage = '{"role":"assistant","content":""}';

/** `stream_mode: concise`: steps, what surrounds the text, pieces of the text, and once the whole. Contract 9.6. */
export class ConciseStream implements ChatStream {
  readonly #record: ChatRecord;
  readonly #head: string;
  #out: ServerSentEvent[] = [];
  #text = '';
  #calls = 0;

  constructor(record: ChatRecord) {
    this.#record = record;
    this.#head = headOf(record);
  }

  push(batch: readonly ChatEvent[]): readonly ServerSentEvent[] {
    this.#out = [];
    for (const event of batch) {
      this.#record.push(event);
      if (event.type !== 'text') this.#flush();
      this.#event(event);
    }
    this.#flush();
    return this.#out;
  }

  #event(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
        this.#text += event.text;
        return;
      case 'step':
        if (this.#record.showsSteps)
          this.#chunk(
            'chat.reasoning',
            emptyMessage,
            `{"role":"assistant","content":"","reasoning_steps":[${JSON.stringify(toReasoningStep(event.step))}]}`,
          );
        return;
      case 'grounding': {
        const steps = JSON.stringify(this.#record.steps);
        const rest = JSON.stringify({ usage: this.#record.counts(), ...this.#record.media() });
        return this.#chunk(
          'chat.reasoning.done',
          `{"role":"assistant","content":"","reasoning_steps":${steps}}`,
          emptyMessage,
          `,${rest.slice(1, -1)}`,
        );
      }
      case 'call-start':
        return this.#piece(`"","tool_calls":[${toCallPiece(this.#calls++, '', event)}]`);
      case 'call-delta':
        return this.#piece(`"","tool_calls":[${toCallPiece(this.#calls - 1, event.arguments)}]`);
      case 'end':
        this.#out.push(toLast(this.#record, 'chat.completion.done'), doneEvent);
        return;
      case 'verification':
      case 'call-end':
    }
  }

  #flush(): void {
    if (this.#text !== '') this.#piece(JSON.stringify(this.#text));
    this.#text = '';
  }

  /** `content` is JSON, with what follows it. */
  #piece(content: string): void {
    this.#chunk('chat.completion.chunk', emptyMessage, `{"role":"assistant","content":${content}}`);
  }

  #chunk(object: string, message: string, delta: string, rest = ''): void {
    const type = object === 'chat.reasoning.done' ? 'info' : 'message';
    const kind = `"object":"${object}","type":"${type}","status":"PENDING"`;
    const choice = `{"index":0,"finish_reason":null,"message":${message},"delta":${delta}}`;
    this.#out.push({ data: `${this.#head},${kind},"choices":[${choice}]${rest}}` });
  }
}
