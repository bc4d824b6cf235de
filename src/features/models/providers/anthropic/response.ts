import { listOf, objectOf, textOf } from '../../../../kernel/kit/json-fields.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { FinishReason, ModelEvent, ModelUsage } from '../../model.ts';
import { CallIds } from '../../call-ids.ts';
import { plainUsage, readCount } from '../../sound-usage.ts';
import { cutArguments, isLimit, isWholeArguments } from '../../tool-arguments.ts';
import { formatThinking } from './thinking.ts';

interface Ending {
  readonly reason: FinishReason;
  readonly stopSequence: string | null;
}

type Block =
  | { readonly type: 'text' }
  | { readonly type: 'thinking'; text: string; signature: string }
  | {
      readonly type: 'tool';
      readonly id: string;
      /** The input at the start of the block; emitted if no pieces follow. */
      readonly input: string;
      readonly isAnswer: boolean;
      pieces: string;
    }
  /** A block of a type that callers do not get. */
  | { readonly type: 'other' };

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'end',
  pause_turn: 'end',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
  model_context_window_exceeded: 'context-full',
};

/** Reads one message of the wire into events, whatever order and gaps its blocks come with. */
export class MessageReader {
  readonly #answerTool: string | null;
  readonly #blocks = new Map<number, Block>();
  readonly #ids: CallIds;
  /** Thinking blocks since the last call, which the next call carries. */
  #thoughts: JsonObject[] = [];
  #calls = 0;
  /** Calls whose arguments are cut; why, the reason for the end tells. */
  readonly #cut: string[] = [];
  /** The last call has no arguments. */
  #isLastEmpty = false;
  /** Text beside an answer that is the input of a tool. It is the answer if that input never comes. */
  #aside = '';
  #answered = false;
  #stop: { readonly reason: string; readonly sequence: string | null } | null = null;
  #stopped = false;
  #usage: ModelUsage | null = null;

  /** `answerTool` names the tool whose input is the answer. `ids` makes ids for calls without one. */
  constructor(answerTool: string | null, ids: Ids) {
    this.#answerTool = answerTool;
    this.#ids = new CallIds(ids);
  }

  /** Whether the wire reported that nothing follows. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Null until the wire reported any. */
  get usage(): ModelUsage | null {
    return this.#usage;
  }

  /** Null until the wire reported why it stopped. */
  get ending(): Ending | null {
    if (this.#stop === null) {
      // It ended without a reason.
      return this.#stopped ? { reason: this.#calls > 0 ? 'tool-calls' : 'end', stopSequence: null } : null;
    }
    const { reason: word, sequence } = this.#stop;
    const reason = this.#reasonOf(word);
    if (reason === 'stop-sequence') {
      // Without the sequence it cannot be distinguished from a natural end.
      return sequence === null ? { reason: 'end', stopSequence: null } : { reason, stopSequence: sequence };
    }
    return { reason, stopSequence: null };
  }

  #reasonOf(word: string): FinishReason {
    const known = reasons[word] ?? 'end';
    // Imitations of this wire tell of calls with another word, or of none.
    if (known === 'end' && this.#calls > 0) return 'tool-calls';
    return known === 'tool-calls' && this.#calls === 0 ? 'end' : known;
  }

  /** Reads one event, by the `type` inside it. */
  read(event: JsonObject): ModelEvent[] {
    switch (event['type']) {
      case 'message_start':
        return isJsonObject(event['message']) ? this.#count(event['message']['usage']) : [];
      case 'content_block_start':
        return this.#start(indexOf(event), event['content_block']);
      case 'content_block_delta':
        return this.#delta(indexOf(event), event['delta']);
      case 'content_block_stop':
        return this.#end(indexOf(event));
      case 'message_delta': {
        const { delta } = event;
        if (isJsonObject(delta)) this.#takeStop(delta);
        return this.#count(event['usage']);
      }
      case 'message_stop':
        this.#stopped = true;
        return [];
      default:
        return [];
    }
  }

  /** Reads a message that came as one JSON text. */
  readWhole(message: JsonObject): ModelEvent[] {
    const blocks = listOf(message['content']) ?? [];
    const events = blocks.flatMap((block, index) => [...this.#start(index, block), ...this.#end(index)]);
    this.#takeStop(message);
    this.#stopped = true;
    return [...events, ...this.#count(message['usage'])];
  }

  /** Closes blocks that the wire left open. Throws Fault `bad_gateway` for a call that was cut, but by a filter. */
  close(): ModelEvent[] {
    const reason = this.ending?.reason ?? null;
    // The wire closes every block: an open one was cut.
    const events = [...this.#blocks.keys()].flatMap((index) => this.#end(index, true));
    const isFiltered = reason === 'content-filter';
    if ((this.#cut.length > 0 && !isFiltered) || (this.#isLastEmpty && isLimit(reason)))
      throw cutArguments(reason);
    for (const id of this.#cut) events.push({ type: 'tool-call-end', id, isCut: true });
    if (this.#aside === '' || this.#answered) return events;
    return [{ type: 'text-delta', text: this.#aside }, ...events];
  }

  #takeStop({ stop_reason: reason, stop_sequence: sequence }: JsonObject): void {
    if (typeof reason !== 'string') return;
    this.#stop = { reason, sequence: typeof sequence === 'string' ? sequence : null };
  }

  #start(index: number, block: Json | undefined): ModelEvent[] {
    const events = this.#blocks.has(index) ? this.#end(index) : [];
    if (!isJsonObject(block)) return events;
    switch (block['type']) {
      case 'text':
        this.#blocks.set(index, { type: 'text' });
        return [...events, ...this.#text(block['text'])];
      case 'thinking': {
        this.#blocks.set(index, { type: 'thinking', text: '', signature: textOf(block['signature']) });
        return [...events, ...this.#think(index, block['thinking'])];
      }
      case 'redacted_thinking':
        this.#blocks.set(index, { type: 'other' });
        this.#thoughts.push({ type: 'redacted_thinking', data: textOf(block['data']) });
        if (textOf(block['data']) === '') return events;
        return [...events, { type: 'thought', text: null, signature: textOf(block['data']) }];
      case 'tool_use':
        return [...events, ...this.#call(index, block)];
      default:
        this.#blocks.set(index, { type: 'other' });
        return events;
    }
  }

  #call(index: number, block: JsonObject): ModelEvent[] {
    const name = textOf(block['name']);
    if (name === '') {
      // A call without a name cannot be run.
      this.#blocks.set(index, { type: 'other' });
      return [];
    }
    const isAnswer = name === this.#answerTool;
    const { input = null } = block;
    const given = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    const id = this.#ids.take(textOf(block['id']));
    this.#blocks.set(index, { type: 'tool', id, input: given, isAnswer, pieces: '' });
    if (isAnswer) {
      this.#answered = true;
      return [];
    }
    this.#calls++;
    const signature = formatThinking(this.#thoughts);
    this.#thoughts = [];
    return [{ type: 'tool-call-start', id, name, ...(signature !== undefined && { signature }) }];
  }

  #delta(index: number, delta: Json | undefined): ModelEvent[] {
    if (!isJsonObject(delta)) return [];
    switch (delta['type']) {
      case 'text_delta':
        return this.#text(delta['text']);
      case 'thinking_delta':
        return this.#think(index, delta['thinking']);
      case 'signature_delta': {
        const block = this.#blocks.get(index);
        if (block?.type === 'thinking') block.signature += textOf(delta['signature']);
        return [];
      }
      case 'input_json_delta':
        return this.#input(index, textOf(delta['partial_json']));
      default:
        return [];
    }
  }

  /** Accepts text without the start of a block as well. */
  #text(value: Json | undefined): ModelEvent[] {
    const text = textOf(value);
    if (this.#answerTool === null) return text === '' ? [] : [{ type: 'text-delta', text }];
    this.#aside += text;
    return [];
  }

  #think(index: number, value: Json | undefined): ModelEvent[] {
    const text = textOf(value);
    const block = this.#blocks.get(index);
    if (block?.type === 'thinking') block.text += text;
    return text === '' ? [] : [{ type: 'reasoning-delta', text }];
  }

  /** Pieces under an index that no block has belong to the last call that is open; without one they have no name. */
  #input(index: number, piece: string): ModelEvent[] {
    const block =
      this.#blocks.get(index) ?? [...this.#blocks.values()].findLast(({ type }) => type === 'tool');
    if (block?.type !== 'tool' || piece === '') return [];
    block.pieces += piece;
    return [toPiece(block, piece)];
  }

  #end(index: number, isLeftOpen = false): ModelEvent[] {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (block?.type === 'thinking' && block.signature !== '') {
      const { text, signature } = block;
      this.#thoughts.push({ type: 'thinking', thinking: text, signature });
      return [{ type: 'thought', text, signature }];
    }
    if (block?.type !== 'tool') return [];
    const events = block.pieces === '' ? [toPiece(block, block.input)] : [];
    if (block.isAnswer) return events;
    // The reason for the end comes later: a limit may have cut the last call, or all of its arguments.
    const { id, pieces, input } = block;
    this.#isLastEmpty = pieces === '' && input === '{}';
    const isWhole = isWholeArguments(pieces === '' ? input : pieces) && !(isLeftOpen && this.#isLastEmpty);
    if (isWhole) return [...events, { type: 'tool-call-end', id }];
    this.#cut.push(id);
    return events;
  }

  /** Counts are of the whole message so far. One that is missing, null or nothing leaves the count before. */
  #count(usage: Json | undefined): ModelEvent[] {
    if (!isJsonObject(usage)) return [];
    const before = this.#usage ?? plainUsage(0, 0);
    const details = objectOf(usage['output_tokens_details']);
    const output = countOf(usage['output_tokens'], before.output);
    this.#usage = {
      input: countOf(usage['input_tokens'], before.input),
      output,
      cacheRead: countOf(usage['cache_read_input_tokens'], before.cacheRead),
      cacheWrite: countOf(usage['cache_creation_input_tokens'], before.cacheWrite),
      reasoning: Math.min(output, countOf(details['thinking_tokens'], before.reasoning)),
    };
    return [{ type: 'usage', usage: this.#usage }];
  }
}

function toPiece(block: Block & { type: 'tool' }, piece: string): ModelEvent {
  return block.isAnswer
    ? { type: 'text-delta', text: piece }
    : { type: 'tool-call-delta', id: block.id, arguments: piece };
}

function indexOf(event: JsonObject): number {
  return typeof event['index'] === 'number' ? event['index'] : -1;
}

function countOf(value: Json | undefined, before: number): number {
  const count = readCount(value);
  return count === null || count === 0 ? before : count;
}
