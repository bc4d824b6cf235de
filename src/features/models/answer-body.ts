import { parseExact } from '../../kernel/kit/json-exact.ts';
import type { Json } from '../../kernel/kit/json.ts';
import { EventReader, type ReceivedEvent } from '../../kernel/kit/sse-reader.ts';
import { unusable } from './upstream-fault.ts';

/** A whole tool input, or a whole answer, in one event is the largest that servers send. */
const eventBytesMax = 8_388_608;
const byteOrderMark = 0xfeff;

/** The bytes of an answer: events, or one JSON text from a server that does not stream. */
export class AnswerBody {
  readonly #sse = new EventReader(eventBytesMax);
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #kind: 'unknown' | 'events' | 'whole' = 'unknown';

  get isWhole(): boolean {
    return this.#kind === 'whole';
  }

  /** The events that a chunk completes. Throws Fault `bad_gateway` for a page, and for a text that is too large. */
  push(chunk: Buffer): readonly ReceivedEvent[] {
    if (this.#kind === 'unknown') this.#kind = kindOf(chunk);
    if (this.#kind !== 'whole') return this.#sse.push(chunk);
    this.#size += chunk.length;
    if (this.#size > eventBytesMax) throw unusable('an answer that is too large');
    this.#chunks.push(chunk);
    return [];
  }

  /** The events that only the end completes. */
  end(): readonly ReceivedEvent[] {
    return this.#sse.end();
  }

  /** The JSON text; undefined for what is not JSON. */
  whole(): Json | undefined {
    const [first, ...others] = this.#chunks;
    const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
    return tryParse(bytes.toString('utf8'));
  }
}

/** By the first character: what the server declares is not believed. `unknown` for a chunk of white space. */
function kindOf(chunk: Buffer): 'unknown' | 'events' | 'whole' {
  for (const byte of chunk) {
    if (byte === 0x7b || byte === 0x5b) return 'whole';
    if (byte === 0x3c) throw unusable('a page instead of events');
    const isBlank = byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf;
    if (!isBlank) return 'events';
  }
  return 'unknown';
}

/** Reads the end of the body: left unread it would cost the connection. Never rejects. */
export async function drain(source: AsyncIterator<Buffer>): Promise<void> {
  try {
    while ((await source.next()).done !== true);
  } catch {
    // Nobody waits for it.
  }
}

/** Whether an event is the mark behind the last one; some servers write white space after it. */
export const isDone = (data: string): boolean => data.startsWith('[DONE]') && data.trimEnd() === '[DONE]';

/** Parses JSON that a server sent, with every digit; undefined for a text that is not JSON. */
export function tryParse(text: string): Json | undefined {
  try {
    return parseExact(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
