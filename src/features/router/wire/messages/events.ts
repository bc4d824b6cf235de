import { Fault } from '../../../../kernel/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import { parseJson } from '../../../../kernel/kit/json-parse.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import type { FinishReason, ModelEvent, ModelUsage } from '../../../models/feature.ts';
import type { AnswerStart, Block, CallStart, CollectedAnswer, Finish } from '../answer.ts';

const stopReasons: Readonly<Record<FinishReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  'context-full': 'model_context_window_exceeded',
};

/** Why an answer ended. Of a single stop sequence it is clear that it matched, even when the backend does not report it. */
function toStop({ reason, stopSequence }: Finish, hasCalls: boolean, asked: readonly string[]) {
  const ended = hasCalls && reason === 'end' ? 'tool-calls' : reason;
  const only = asked.length === 1 ? (asked[0] ?? null) : null;
  return {
    stop_reason: stopReasons[ended],
    stop_sequence: ended === 'stop-sequence' ? (stopSequence ?? only) : null,
  };
}

function toUsage({ input, output, cacheRead, cacheWrite }: ModelUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

/** A message as it is known before its first block. */
function toMessage(id: string, model: string, usage: ModelUsage) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [] as readonly object[],
    stop_reason: null as string | null,
    stop_sequence: null as string | null,
    stop_details: null,
    container: null,
    usage: { ...toUsage(usage), cache_creation: null, server_tool_use: null, service_tier: null },
  };
}

const ownToolId = /^toolu_[0-9A-Za-z]{24}$/;

/** The id of the backend where it has the form that clients expect, else a new one. */
export function toToolId({ id, signature }: CallStart, { newId, onSigned }: MessageStart): string {
  const own = ownToolId.test(id) ? id : newId('toolu_');
  if (signature !== undefined) onSigned(own, signature);
  return own;
}

const brokenArguments = () =>
  new Fault('bad_gateway', undefined, { cause: new Error('arguments of a call are no JSON object') });

interface MessageStart extends AnswerStart {
  readonly stop: readonly string[];
}

/** A complete answer as one message. Throws Fault `bad_gateway` for calls that cannot be read, or without an end. */
export function toWholeMessage(start: MessageStart, answer: CollectedAnswer, usage: ModelUsage) {
  const { finish, blocks, calls } = answer;
  return {
    ...toMessage(start.id, start.model, usage),
    content: blocks.map(toContent),
    ...toStop(finish, calls.length > 0, start.stop),
  };
}

function toContent(block: Block): object {
  if (block.kind === 'text') return { type: 'text', text: block.text, citations: null };
  const { id, name, text } = block;
  const input = parseArguments(text);
  if (input === null) throw brokenArguments();
  return { type: 'tool_use', id, name, input };
}

const argumentsDepthMax = 64;

/** The arguments of a call; null for a text that is no JSON object. */
function parseArguments(text: string): JsonObject | null {
  if (text === '' || text === '{}') return {};
  try {
    // Checked against the rules for JSON, then parsed so that every digit is kept.
    parseJson(Buffer.from(text), { depthMax: argumentsDepthMax });
    const value = parseExact(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * States of a block: waiting (behind the open one; its pieces are kept), open (each piece is emitted), closed.
 * Clients read one block at a time, so a call whose pieces alternate with those of another waits for its turn.
 */
interface StreamBlock {
  readonly index: number;
  readonly kind: 'text' | 'tool';
  /** The block in `content_block_start`, as JSON. */
  readonly head: string;
  /** Pieces that came while the block waited. */
  kept: string;
  text: string;
  ended: boolean;
}

const textHead = '{"type":"text","text":"","citations":null}';
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
    const { id, model } = this.#start;
    const message = toMessage(id, model, { ...this.#usage(), output: 0 });
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
      case 'finish':
        this.#finish(event);
        return;
      case 'reasoning-delta':
      case 'usage':
    }
  }

  #text(text: string): void {
    const last = this.#waiting.at(-1) ?? this.#open;
    const block = last?.kind === 'text' ? last : this.#add('text', textHead);
    this.#piece(block, text);
  }

  #add(kind: StreamBlock['kind'], head: string): StreamBlock {
    const block: StreamBlock = { index: this.#blocks++, kind, head, kept: '', text: '', ended: false };
    this.#waiting.push(block);
    // A text ends where the next block begins.
    const before = this.#waiting.at(-2) ?? this.#open;
    if (before?.kind === 'text') this.#end(before);
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

  #delta({ index, kind }: StreamBlock, piece: string): void {
    const delta =
      kind === 'text'
        ? `{"type":"text_delta","text":${JSON.stringify(piece)}}`
        : `{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`;
    this.#emit('content_block_delta', `{"type":"content_block_delta","index":${index},"delta":${delta}}`);
  }

  #finish(finish: Finish): void {
    for (const block of [this.#open, ...this.#waiting]) if (block) block.ended = true;
    this.#advance();
    if ([...this.#calls.values()].some(({ text }) => parseArguments(text) === null)) {
      throw brokenArguments();
    }
    const delta = toStop(finish, this.#calls.size > 0, this.#start.stop);
    const usage = toUsage(this.#usage());
    this.#emit('message_delta', JSON.stringify({ type: 'message_delta', delta, usage }));
    this.#out.push(stopEvent);
  }

  #emit(event: string, data: string): void {
    this.#out.push({ event, data });
  }
}
