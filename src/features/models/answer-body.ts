import { parseExact } from '../../kernel/kit/json-exact.ts';
import type { Json } from '../../kernel/kit/json.ts';
import { unusable } from './upstream-fault.ts';

/** A whole tool input, or a whole answer, in one event is the largest that servers send. */
export const eventBytesMax = 8_388_608;

export type BodyKind = 'unknown' | 'events' | 'whole';

/**
 * Whether a body holds events or one JSON text, by its first character: what the server declares is not believed.
 * `unknown` for a chunk of white space. Throws Fault `bad_gateway` for a page.
 */
export function bodyKindOf(chunk: Buffer): BodyKind {
  for (const byte of chunk) {
    if (byte === 0x7b || byte === 0x5b) return 'whole';
    if (byte === 0x3c) throw unusable('a page instead of events');
    const isBlank = byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf;
    if (!isBlank) return 'events';
  }
  return 'unknown';
}

/** The JSON text of a server that does not stream. */
export class WholeBody {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** Throws Fault `bad_gateway` for a body that is too large. */
  push(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > eventBytesMax) throw unusable('an answer that is too large');
    this.#chunks.push(chunk);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/**
 * Reads what comes after the last event, which is the end of the body and nothing else: left unread it would cost the
 * connection. Bounded by the deadlines and the signal of the request. Never rejects.
 */
export async function drain(source: AsyncIterator<Buffer>): Promise<void> {
  try {
    while ((await source.next()).done !== true);
  } catch {
    // Nobody waits for it.
  }
}

/** Parses JSON that a server sent, with every digit; undefined for a text that is not JSON. */
export function tryParse(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
