import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import type { ModelEvent, ModelUsage, Thought } from '../../../models/feature.ts';
import type { Finish } from '../answer.ts';
import {
  brokenArguments,
  parseArguments,
  toMessage,
  toMessageEnd,
  toStop,
  toToolId,
  type MessageStart,
} from './message.ts';

/**
 * States of a block: waiting (behind the open one; its pieces are kept), open (each piece is emitted), closed.
 * Clients read one block at a time, so a call whose pieces alternate with those of another waits for its turn.
 */
interface StreamBlock {
  readonly index: number;
  readonly kind: 'text' | 'thought' | 'tool';
  /** The block in `content_block_start`, as JSON. */
  readonly head: string;
  /** Pieces that came while the block waited. */
  kept: string;
  text: string;
  /** Of a thought; empty where it has none. */
  signature: string;
  ended: boolean;
}

const textHead = '{"type":"text","text":"","citations":null}';
const thoughtHead = '{"type":"thinking","thinking":"","signature":""}';
const pingEvent: ServerSentEvent = { event: 'ping', data: '{"type":"ping"}' };
const stopEvent: ServerSentEvent = { event: 'message_stop', data: '{"type":"message_stop"}' };

/** Written while a Messages stream is silent. */
export const messagesPing = 'event: ping\ndata: {"type":"ping"}\n\n';

/** Encodes the events of a model as those of the Messages stream, batch by batch. */
export class MessageEncoder {
  readonly #start: MessageStart;
  readonly #usage: () => ModelUsage;
  readonly #calls = new Map<string, StreamBlock>();
  #blocks = 0;
  #open: StreamBlock | null = null;
  #waiting: StreamBlock[] = [];
  #out: ServerSentEvent[] = [];
  #started = false;

  /** `usage` returns the usage that is known when it is called. */
  constructor(start: MessageStart, usage: () => ModelUsage) {
    this.#start = start;
    this.#usage = usage;
  }

  /** Throws Fault `bad_gateway` at the end of a stream whose calls cannot be read. */
  push(batch: readonly ModelEvent[]): readonly ServerSentEvent[] {
    const out: ServerSentEvent[] = [];
    this.#out = out;
    if (!this.#started) this.#begin();
    for (const event of batch) this.#event(event);
    return out;
  }

  #begin(): void {
    this.#started = true;
    const message = toMessage(this.#start, { ...this.#usage(), output: 0, reasoning: 0 });
    this.#out.push(
      { event: 'message_start', data: JSON.stringify({ type: 'message_start', message }) },
      pingEvent,
    );
  }

  #event(event: ModelEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') this.#text(event.text);
        return;
      case 'tool-call-start': {
        const { id, name } = event;
        const own = toToolId(event, this.#start);
        const head = `{"type":"tool_use","id":"${own}","name":${JSON.stringify(name)},"input":{}}`;
        this.#calls.set(id, this.#add('tool', head));
        return;
      }
      case 'tool-call-delta': {
        const block = this.#calls.get(event.id);
        if (block) this.#piece(block, event.arguments);
        return;
      }
      case 'tool-call-end': {
        const block = this.#calls.get(event.id);
        if (block) this.#end(block);
        if (event.isCut === true) this.#calls.delete(event.id);
        return;
      }
      case 'reasoning-delta':
        if (this.#start.thoughts === 'shown') this.#piece(this.#thought(), event.text);
        return;
      case 'thought':
        if (this.#start.thoughts !== 'dropped') this.#sign(event);
        return;
      case 'finish':
        this.#finish(event);
        return;
      case 'usage':
    }
  }

  #text(text: string): void {
    const last = this.#waiting.at(-1) ?? this.#open;
    const block = last?.kind === 'text' ? last : this.#add('text', textHead);
    this.#piece(block, text);
  }

  /** The thought that is being written. */
  #thought(): StreamBlock {
    const last = this.#waiting.at(-1) ?? this.#open;
    return last?.kind === 'thought' && !last.ended ? last : this.#add('thought', thoughtHead);
  }

  #sign({ text, signature }: Thought): void {
    if (text === null) {
      this.#end(this.#add('thought', JSON.stringify({ type: 'redacted_thinking', data: signature })));
      return;
    }
    const block = this.#thought();
    block.signature = signature;
    this.#end(block);
  }

  #add(kind: StreamBlock['kind'], head: string): StreamBlock {
    const index = this.#blocks++;
    const block: StreamBlock = { index, kind, head, kept: '', text: '', signature: '', ended: false };
    this.#waiting.push(block);
    // Texts and thoughts end where the next block begins.
    const before = this.#waiting.at(-2) ?? this.#open;
    if (before !== null && before.kind !== 'tool') this.#end(before);
    else this.#advance();
    return block;
  }

  #piece(block: StreamBlock, piece: string): void {
    if (piece === '') return;
    if (block.kind === 'tool') block.text += piece;
    if (block === this.#open) this.#delta(block, piece);
    else block.kept += piece;
  }

  #end(block: StreamBlock): void {
    block.ended = true;
    this.#advance();
  }

  /** Closes the open block if it has ended, and opens what waits. */
  #advance(): void {
    for (;;) {
      const open = this.#open;
      if (open !== null) {
        if (!open.ended) return;
        const { signature } = open;
        if (signature !== '') this.#emitDelta(open, { type: 'signature_delta', signature });
        this.#emit('content_block_stop', `{"type":"content_block_stop","index":${open.index}}`);
        this.#open = null;
      }
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#open = next;
      const { index, head, kept } = next;
      this.#emit(
        'content_block_start',
        `{"type":"content_block_start","index":${index},"content_block":${head}}`,
      );
      next.kept = '';
      if (kept !== '') this.#delta(next, kept);
    }
  }

  #delta(block: StreamBlock, piece: string): void {
    switch (block.kind) {
      case 'text':
        return this.#emitDelta(block, { type: 'text_delta', text: piece });
      case 'thought':
        return this.#emitDelta(block, { type: 'thinking_delta', thinking: piece });
      case 'tool':
        return this.#emitDelta(block, { type: 'input_json_delta', partial_json: piece });
    }
  }

  #emitDelta({ index }: StreamBlock, delta: object): void {
    this.#emit('content_block_delta', JSON.stringify({ type: 'content_block_delta', index, delta }));
  }

  #finish(finish: Finish): void {
    for (const block of [this.#open, ...this.#waiting]) if (block) block.ended = true;
    this.#advance();
    if ([...this.#calls.values()].some(({ text }) => parseArguments(text) === null)) {
      throw brokenArguments();
    }
    const delta = toStop(finish, this.#calls.size > 0, this.#start.stop);
    const { usage } = toMessageEnd(this.#start, this.#usage());
    this.#emit('message_delta', JSON.stringify({ type: 'message_delta', delta, usage }));
    this.#out.push(stopEvent);
  }

  #emit(event: string, data: string): void {
    this.#out.push({ event, data });
  }
}
