import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import { OutboundBroken } from '../../../../kernel/kit/outbound.ts';
import { createEventReader } from '../../../../kernel/kit/sse-reader.ts';
import type { ModelEvent } from '../../model.ts';
import { toBrokenFault, unusable } from '../../upstream-fault.ts';
import type { ResponseReader } from './response.ts';

/** A chunk with a whole tool call or a whole answer in it is the largest that servers send. */
const eventBytesMax = 8_388_608;

export interface Answer {
  readonly chunks: AsyncIterable<Buffer>;
  /** To be told of each event. */
  readonly progress: () => void;
  readonly reader: ResponseReader;
}

/**
 * The events of an answer, one batch for each packet that held any. `begin` is awaited inside, so that one generator
 * does it all: each further one around it would cost as much as reading a chunk.
 */
export async function* readAnswer(begin: () => Promise<Answer>): AsyncGenerator<readonly ModelEvent[]> {
  const { chunks, progress, reader } = await begin();
  const source = chunks[Symbol.asyncIterator]();
  const sse = createEventReader(eventBytesMax);
  let kind: 'unknown' | 'events' | 'whole' = 'unknown';
  const whole: Buffer[] = [];
  let begun = false;
  try {
    for (;;) {
      const next = await source.next();
      if (next.done === true) break;
      if (kind === 'unknown') kind = kindOf(next.value);
      if (kind === 'whole') keep(whole, next.value);
      else {
        const received = sse.push(next.value);
        // A comment completes no event, so a server that only says that it is still there is not waited for.
        if (received.length > 0) {
          begun = true;
          progress();
        }
        const events = reader.push(received);
        if (reader.phase === 'done' || reader.isCutShort) {
          yield reader.isCutShort ? [...events, ...reader.end()] : events;
          return;
        }
        if (events.length > 0) yield events;
      }
    }
    yield kind === 'whole' ? reader.whole(parseWhole(whole)) : [...reader.push(sse.end()), ...reader.end()];
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    // The model had said that it was done, and only usage and good-bye were missing.
    if (reader.phase !== 'finishing') throw toBrokenFault(error, begun);
    yield reader.end();
  } finally {
    if (reader.phase === 'done' && !reader.isCutShort) void drain(source);
    else await source.return?.();
  }
}

/**
 * Reads what comes after `[DONE]`, which is the end of the body and nothing else: left unread it would cost the
 * connection. Bounded by the deadlines and the signal of the request.
 */
async function drain(source: AsyncIterator<Buffer>): Promise<void> {
  try {
    while ((await source.next()).done !== true);
  } catch {
    // Nobody waits for it.
  }
}

/** By the first character: what the server declares is not believed. */
function kindOf(chunk: Buffer): 'unknown' | 'events' | 'whole' {
  for (const byte of chunk) {
    if (byte === 0x7b || byte === 0x5b) return 'whole';
    if (byte === 0x3c) throw unusable('a page instead of events');
    const isBlank = byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf;
    if (!isBlank) return 'events';
  }
  return 'unknown';
}

function keep(whole: Buffer[], chunk: Buffer): void {
  whole.push(chunk);
  const size = whole.reduce((sum, { length }) => sum + length, 0);
  if (size > eventBytesMax) throw unusable('a completion that is too large');
}

function parseWhole(whole: readonly Buffer[]): unknown {
  try {
    return parseExact(Buffer.concat(whole).toString('utf8'));
  } catch {
    throw unusable('an answer that is neither events nor JSON');
  }
}
