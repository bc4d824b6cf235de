import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { FinishReason, ModelEvent } from '../../model.ts';
import { objectOf } from '../../json-fields.ts';
import { cutArguments, isLimit, isWholeArguments } from '../../tool-arguments.ts';

/** A tool call assembled from stream deltas. */
interface Call {
  /** The id of the server; null for a call without one. */
  readonly wireId: string | null;
  readonly id: string;
  readonly index: number | null;
  name: string;
  arguments: string;
  signature: string | undefined;
  started: boolean;
}

type Piece = NonNullable<ReturnType<typeof toPiece>>;

const callsMax = 512;

/**
 * Puts calls together from pieces that servers split and number as they please: all with index 0 and distinct by id
 * alone, without index, without ids, with the name in every piece, interleaved.
 */
export class ToolCalls {
  readonly #ids: Ids;
  readonly #calls: Call[] = [];

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** Appends the events of one `tool_calls` list, whose entries may be anything. */
  push(list: readonly unknown[], events: ModelEvent[]): void {
    for (const entry of list) {
      const piece = toPiece(entry);
      if (piece === null) continue;
      const call = this.#find(piece) ?? this.#add(piece);
      if (call === null) continue;
      if (call.name === '' && piece.name !== null) call.name = piece.name;
      call.signature ??= piece.signature;
      // Some servers send `null` for no arguments.
      const more = call.arguments === '' && piece.arguments === 'null' ? '' : piece.arguments;
      call.arguments += more;
      if (!call.started && call.name !== '') start(call, events);
      else if (call.started && more !== '') {
        events.push({ type: 'tool-call-delta', id: call.id, arguments: more });
      }
    }
  }

  /**
   * Appends the ends of all calls. A call whose name never came is none, and one that ends of itself without arguments
   * has none. Throws Fault `bad_gateway` where arguments are missing or cut.
   */
  end(reason: FinishReason, events: ModelEvent[]): void {
    for (const { id, started, arguments: text } of this.#calls) {
      if (!started) continue;
      const isEmpty = text.trim() === '';
      if (isEmpty ? isLimit(reason) : !isWholeArguments(text)) throw cutArguments(reason);
      if (isEmpty) events.push({ type: 'tool-call-delta', id, arguments: '{}' });
      events.push({ type: 'tool-call-end', id });
    }
  }

  /** The call that a piece continues; null when it begins one. */
  #find({ index, id, name, arguments: text }: Piece): Call | null {
    if (id !== null) {
      const known = this.#calls.filter((call) => call.wireId === id);
      const same = known.findLast((call) => index === null || call.index === index);
      if (same !== undefined) return same;
      // One id for two calls: the second has a name and a place of its own.
      if (known.length > 0) return name === null ? (known.at(-1) ?? null) : null;
      // An id of its own in each piece of one call: only a first piece has a name.
      return name === null ? this.#latest(index) : null;
    }
    const latest = this.#latest(index);
    if (latest === null || name === null || latest.name === '') return latest;
    // A name and no id: the name is repeated with each piece, or a whole call follows a whole call.
    return name !== latest.name || (text !== '' && isWholeArguments(latest.arguments)) ? null : latest;
  }

  #latest(index: number | null): Call | null {
    if (index === null) return this.#calls.at(-1) ?? null;
    return this.#calls.findLast((call) => call.index === index) ?? null;
  }

  #add({ index, id, name, signature }: Piece): Call | null {
    if (this.#calls.length >= callsMax) return null;
    const taken = id === null || this.#calls.some((call) => call.id === id);
    const call: Call = {
      wireId: id,
      id: taken ? `call_${this.#ids.uuid().replaceAll('-', '')}` : id,
      index,
      name: name ?? '',
      arguments: '',
      signature,
      started: false,
    };
    this.#calls.push(call);
    return call;
  }
}

function start(call: Call, events: ModelEvent[]): void {
  const { id, name, signature } = call;
  call.started = true;
  events.push({ type: 'tool-call-start', id, name, ...(signature === undefined ? {} : { signature }) });
  if (call.arguments !== '') events.push({ type: 'tool-call-delta', id, arguments: call.arguments });
}

function toPiece(entry: unknown) {
  if (!isJsonObject(entry)) return null;
  const { index, id } = entry;
  const { name, arguments: given } = objectOf(entry['function']);
  return {
    index: typeof index === 'number' ? index : null,
    id: typeof id === 'string' && id !== '' ? id : null,
    name: typeof name === 'string' && name !== '' ? name : null,
    arguments: toText(given),
    signature: toSignature(entry['extra_content']),
  };
}

/** Some servers put the arguments there as an object. What is neither is kept, and is no arguments when the call ends. */
function toText(given: Json | undefined): string {
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : JSON.stringify(given);
}

/** Gemini wants it back with the result of the call. */
function toSignature(extra: Json | undefined): string | undefined {
  if (!isJsonObject(extra)) return undefined;
  const inner = extra['google'] ?? extra['vertex'];
  const signature = isJsonObject(inner) ? inner['thought_signature'] : undefined;
  return typeof signature === 'string' ? signature : undefined;
}
