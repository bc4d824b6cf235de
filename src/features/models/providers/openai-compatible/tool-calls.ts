import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import type { FinishReason, ModelEvent } from '../../model.ts';
import { ObjectScanner } from './object-scanner.ts';
import { cutArguments, isLimit, isWholeArguments } from '../../tool-arguments.ts';
import { unusable } from '../../upstream-fault.ts';

/** A tool call assembled from stream deltas. */
interface Call {
  /** The id of the server; null for a call without one. */
  wireId: string | null;
  readonly id: string;
  readonly index: number | null;
  name: string;
  arguments: string;
  /** The end of the arguments that was not emitted. */
  held: string;
  scanner: ObjectScanner;
  signature: string | undefined;
  started: boolean;
  ended: boolean;
}

type Piece = NonNullable<ReturnType<typeof toPiece>>;

const callsMax = 512;

/**
 * Puts calls together from pieces that servers split and number as they please: all with index 0 and distinct by id
 * alone, without index, without ids, with the name in every piece or split over pieces, with an id that comes late,
 * continued under an index that no call has, interleaved.
 */
export class ToolCalls {
  readonly #functions: readonly string[];
  readonly #ids: Ids;
  readonly #calls: Call[] = [];

  /** `functions` are the names that may be called: by them a name is known to be whole. */
  constructor(functions: readonly string[], ids: Ids) {
    this.#functions = functions;
    this.#ids = ids;
  }

  /** One whose name never came is none. */
  get hasAny(): boolean {
    return this.#calls.some(({ name }) => name !== '');
  }

  /** Appends the events of one `tool_calls` list, whose entries may be anything. Throws Fault `bad_gateway`. */
  push(list: readonly unknown[], events: ModelEvent[]): void {
    for (const entry of list) {
      const piece = toPiece(entry);
      if (piece === null) continue;
      const call = this.#find(piece) ?? this.#add(piece);
      if (isRepetition(call, piece)) continue;
      if (call.ended && piece.arguments.trim() === '') continue;
      if (call.ended) throw unusable('arguments behind the end of a call');
      if (piece.name !== null && (call.name === '' || call.arguments === ''))
        call.name = this.#nameOf(call.name, piece.name);
      call.wireId ??= piece.id;
      call.signature ??= piece.signature;
      addArguments(call, piece.arguments);
      if (this.#isNamed(call)) emit(call, events);
    }
  }

  /** Appends the ends of calls that are whole. One without arguments may still get some. */
  endWhole(events: ModelEvent[]): void {
    for (const call of this.#calls) {
      const { started, ended, scanner, arguments: text } = call;
      if (!started || ended || !scanner.isClosed || text === '{}' || !isWholeArguments(text)) continue;
      call.ended = true;
      events.push({ type: 'tool-call-end', id: call.id });
    }
  }

  /**
   * Appends the ends of all other calls. A call whose name never came is none, and one that ends of itself without arguments
   * has none. Throws Fault `bad_gateway` where arguments are missing or cut, but by a filter.
   */
  end(reason: FinishReason, events: ModelEvent[]): void {
    for (const call of this.#calls) {
      if (call.name === '' || call.ended) continue;
      const isEmpty = call.arguments.trim() === '';
      const isCut = isEmpty ? isLimit(reason) : !isWholeArguments(call.arguments);
      const isFiltered = reason === 'content-filter';
      if (isCut && !isFiltered) throw cutArguments(reason);
      if (isEmpty && !isFiltered) call.held = '{}';
      emit(call, events, true);
      events.push({ type: 'tool-call-end', id: call.id, ...(isCut && { isCut }) });
    }
  }

  /** Of a name that is split over pieces no part is a function; a name that is repeated is one. */
  #nameOf(before: string, piece: string): string {
    const joined = before + piece;
    const isPart = before !== '' && this.#functions.some((name) => name.startsWith(joined));
    return before === '' || isPart ? joined : before;
  }

  /** Whether no more of the name can come. */
  #isNamed({ name, arguments: text }: Call): boolean {
    if (name === '' || text !== '') return name !== '';
    return !this.#functions.some((longer) => longer.length > name.length && longer.startsWith(name));
  }

  /** The call that a piece continues; null when it begins one. */
  #find({ index, id, name, arguments: text }: Piece): Call | null {
    if (id !== null) {
      const known = this.#calls.filter((call) => call.wireId === id);
      const same = known.findLast((call) => index === null || call.index === index);
      if (same !== undefined) return isNext(same, name, text) ? null : same;
      // One id for two calls: the second has a name and a place of its own.
      if (known.length > 0) return name === null ? (known.at(-1) ?? null) : null;
      // An id of its own in each piece of one call: only a first piece has a name. Or the id comes late, with it.
      if (name === null) return this.#latest(index);
      const late = index === null ? null : this.#latest(index);
      return late?.wireId === null && late.name === name && !isNext(late, name, text) ? late : null;
    }
    const latest = this.#latest(index);
    if (latest === null) return name === null ? this.#unfinished() : null;
    if (name === null || latest.name === '') return latest;
    // A name and no id: the name is repeated or goes on, or a whole call follows a whole call.
    const goesOn = latest.arguments === '' && this.#nameOf(latest.name, name) !== latest.name;
    return goesOn || (name === latest.name && !isNext(latest, name, text)) ? latest : null;
  }

  /** The last call, where it may go on; under another index than its own. */
  #unfinished(): Call | null {
    const last = this.#calls.at(-1);
    return last === undefined || last.scanner.isClosed ? null : last;
  }

  #latest(index: number | null): Call | null {
    if (index === null) return this.#calls.at(-1) ?? null;
    return this.#calls.findLast((call) => call.index === index) ?? null;
  }

  #add({ index, id, name, signature }: Piece): Call {
    if (this.#calls.length >= callsMax) throw unusable(`more than ${callsMax} calls of functions`);
    const taken = id === null || this.#calls.some((call) => call.id === id);
    const call: Call = {
      wireId: id,
      id: taken ? `call_${this.#ids.uuid().replaceAll('-', '')}` : id,
      index,
      name: name ?? '',
      arguments: '',
      held: '',
      scanner: new ObjectScanner(),
      signature,
      started: false,
      ended: false,
    };
    this.#calls.push(call);
    return call;
  }
}

/** Whether a piece with the name of a call that is whole begins another. */
function isNext(call: Call, name: string | null, text: string): boolean {
  return name !== null && text !== '' && text !== call.arguments && call.scanner.isClosed;
}

/** Some servers end with a call as they had sent it in pieces. */
function isRepetition(call: Call, { id, name, arguments: text }: Piece): boolean {
  const isSame = id !== null && id === call.wireId && name === call.name && text === call.arguments;
  return isSame && call.scanner.isClosed;
}

/** Some servers send `null` for no arguments, or `{}` before those that are. */
function addArguments(call: Call, more: string): void {
  if (call.arguments === '' && more === 'null') return;
  if (call.arguments === '{}' && more.startsWith('{')) {
    call.arguments = '';
    call.held = '';
  }
  call.arguments += more;
  call.held += more;
  call.scanner.push(more);
}

/** Emits what is known of a call; `{}` only at its end, because other arguments may come in its place. */
function emit(call: Call, events: ModelEvent[], isEnd = false): void {
  const { id, name, signature, held } = call;
  if (!call.started) {
    call.started = true;
    events.push({ type: 'tool-call-start', id, name, ...(signature === undefined ? {} : { signature }) });
  }
  if (held === '' || (held === '{}' && !isEnd)) return;
  events.push({ type: 'tool-call-delta', id, arguments: held });
  call.held = '';
}

function toPiece(entry: unknown) {
  if (!isJsonObject(entry)) return null;
  const { index, id } = entry;
  // Some servers leave out the level between.
  const { name, arguments: given } = isJsonObject(entry['function']) ? entry['function'] : entry;
  return {
    index: typeof index === 'number' || typeof index === 'string' ? Number(index) : null,
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
