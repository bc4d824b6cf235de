import { Buffer } from 'node:buffer';
import { OutboundBroken } from './outbound-request.ts';

export interface ReceivedEvent {
  /** Null without an `event:` line. */
  readonly event: string | null;
  /** Lines of `data:`, joined by line feeds. */
  readonly data: string;
}

/**
 * Reads server-sent events in batches, one for each chunk that completed any: LF, CRLF and CR, comments, multi-line
 * data, a byte-order mark. Throws what `chunks` throws, and OutboundBroken `too_large` above `eventBytesMax`.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  eventBytesMax: number,
): AsyncGenerator<readonly ReceivedEvent[]> {
  const reader = new EventReader(eventBytesMax);
  for await (const chunk of chunks) {
    const events = reader.push(chunk);
    if (events.length > 0) yield events;
  }
  const last = reader.end();
  if (last.length > 0) yield last;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const byteOrderMark = 0xfeff;
const none: readonly ReceivedEvent[] = [];

/**
 * Decodes everything up to the last line end at once: no character contains a line end, so no decoder keeps state. 32
 * deltas of 180 bytes take 6 µs in 32 chunks and 1.5 µs in one.
 */
export class EventReader {
  readonly #eventBytesMax: number;
  /** Chunks of the unfinished line. */
  #pieces: Buffer[] = [];
  #pending = 0;
  #started = false;
  /** The last byte was CR: a following LF belongs to it. */
  #afterReturn = false;
  #event: string | null = null;
  #data: string | null = null;

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax;
  }

  /** Returns the events that this chunk completed. Throws OutboundBroken `too_large`. */
  push(chunk: Uint8Array): readonly ReceivedEvent[] {
    let bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.length === 0) return none;
    if (this.#afterReturn && bytes[0] === lineFeed) bytes = bytes.subarray(1);
    const end = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    this.#afterReturn = end > 0 && end === bytes.length && bytes[end - 1] === carriageReturn;
    if (end === 0) {
      this.#keep(bytes);
      return none;
    }
    let text: string;
    if (this.#pending === 0) text = bytes.toString('utf8', 0, end);
    else {
      this.#keep(bytes.subarray(0, end));
      text = this.#take();
    }
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    return this.#scan(text);
  }

  /**
   * Returns the event completed by the end, if any. The standard drops one without a blank line after it, but servers
   * end on `data: [DONE]` without one; the parser finds truncated JSON.
   */
  end(): readonly ReceivedEvent[] {
    return this.#scan(`${this.#take()}\n\n`);
  }

  #keep(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#pending += bytes.length;
    this.#limit(this.#pending);
  }

  #take(): string {
    const text = Buffer.concat(this.#pieces, this.#pending).toString('utf8');
    this.#pieces = [];
    this.#pending = 0;
    return text;
  }

  /** Characters are counted where bytes are not known; there are never more of them. */
  #limit(size: number): void {
    if (size <= this.#eventBytesMax) return;
    throw new OutboundBroken('too_large', new Error(`an event of more than ${this.#eventBytesMax} bytes`));
  }

  /** Reads a text that ends with a line end. */
  #scan(given: string): readonly ReceivedEvent[] {
    let text = given;
    if (!this.#started && text.length > 0) {
      this.#started = true;
      if (text.charCodeAt(0) === byteOrderMark) text = text.slice(1);
    }
    if (text.includes('\r')) text = text.replaceAll(/\r\n?/g, '\n');
    const events: ReceivedEvent[] = [];
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      if (to > from) this.#line(text, from, to);
      else if (this.#data !== null) {
        events.push({ event: this.#event, data: this.#data });
        this.#data = null;
        this.#event = null;
      } else this.#event = null;
      from = to + 1;
    }
    return events;
  }

  #line(text: string, from: number, to: number): void {
    if (text.startsWith('data', from)) {
      const value = fieldValue(text, from + 4, to);
      if (value === null) return;
      this.#limit(value.length + (this.#data?.length ?? 0));
      this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    } else if (text.startsWith('event', from)) {
      this.#event = fieldValue(text, from + 5, to) ?? this.#event;
    }
  }
}

/** The value of a field; null when the name is longer. A bare name has an empty value. */
function fieldValue(text: string, at: number, to: number): string | null {
  if (at === to) return '';
  if (text.charCodeAt(at) !== colon) return null;
  const from = text.charCodeAt(at + 1) === space ? at + 2 : at + 1;
  return text.slice(from, to);
}
