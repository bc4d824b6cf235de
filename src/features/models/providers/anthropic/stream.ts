import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { parseExact } from '../../../../kernel/kit/json-exact.ts';
import { OutboundBroken } from '../../../../kernel/kit/outbound.ts';
import { createEventReader, type ReceivedEvent } from '../../../../kernel/kit/sse-reader.ts';
import type { ModelEvent, ModelUsage } from '../../model.ts';
import { toBrokenFault, toStreamFault, unusable } from '../../upstream-fault.ts';
import type { MessageReader } from './response.ts';
import type { TextFilter } from '../../stop-sequence-filter.ts';

type Batch = readonly ModelEvent[];

export interface Answer {
  readonly chunks: AsyncIterable<Buffer>;
  /** To be told of each event. */
  readonly progress: () => void;
  readonly reader: MessageReader;
  readonly filter: TextFilter;
  /** For backends that tell no usage. Unit: tokens. */
  readonly estimateInput: () => number;
}

/** A whole tool input, or a whole answer, in one event is the largest that servers send. */
const eventBytesMax = 8_388_608;
const charsPerToken = 4;

/**
 * The events of an answer, one batch for each packet that held any. `begin` is awaited inside, so that one generator
 * does it all. Throws Fault for an answer that broke off, is none, or tells an error.
 */
export async function* readAnswer(begin: () => Promise<Answer>): AsyncGenerator<Batch> {
  const answer = await begin();
  const { reader, filter } = answer;
  const source = answer.chunks[Symbol.asyncIterator]();
  const body = new Body(answer);
  try {
    while (!reader.stopped && filter.stop === null) {
      const next = await source.next();
      const batch = filter.tell(
        next.done === true ? body.end(filter.told) : body.push(next.value, filter.told),
      );
      if (batch.length > 0) yield batch;
      if (next.done === true) break;
    }
    yield finish(answer);
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    // Why it stopped was told after all of the content: what broke off then is only the farewell.
    if (reader.ending === null) throw toBrokenFault(error, body.begun);
    yield finish(answer);
  } finally {
    if (reader.stopped && filter.stop === null) void drain(source);
    else await source.return?.();
  }
}

/**
 * Reads what comes after the last event, which is the end of the body and nothing else: left unread it would cost the
 * connection. Bounded by the deadlines and the signal of the request.
 */
async function drain(source: AsyncIterator<Buffer>): Promise<void> {
  try {
    while ((await source.next()).done !== true);
  } catch {
    // Nobody waits for it.
  }
}

/** The bytes of an answer: events, or a message as one JSON text from a server that does not stream. */
class Body {
  readonly #reader: MessageReader;
  readonly #progress: () => void;
  readonly #sse = createEventReader(eventBytesMax);
  #kind: 'unknown' | 'events' | 'whole' = 'unknown';
  #whole: Buffer[] = [];
  #begun = false;
  #size = 0;

  constructor({ reader, progress }: Answer) {
    this.#reader = reader;
    this.#progress = progress;
  }

  /** Whether an event came. */
  get begun(): boolean {
    return this.#begun;
  }

  push(chunk: Buffer, told: boolean): ModelEvent[] {
    if (this.#kind === 'unknown') this.#kind = kindOf(chunk);
    if (this.#kind !== 'whole') return this.#read(this.#sse.push(chunk), told);
    this.#size += chunk.length;
    if (this.#size > eventBytesMax) throw unusable('a message that is too large');
    this.#whole.push(chunk);
    return [];
  }

  end(told: boolean): ModelEvent[] {
    if (this.#kind !== 'whole') return this.#read(this.#sse.end(), told);
    const message = parseObject(Buffer.concat(this.#whole).toString('utf8'));
    if (isJsonObject(message?.['error'])) throw toErrorFault(message['error'], false);
    if (!Array.isArray(message?.['content'])) throw unusable('JSON that is no message');
    return this.#reader.readWhole(message);
  }

  #read(received: readonly ReceivedEvent[], told: boolean): ModelEvent[] {
    const events: ModelEvent[] = [];
    let isProgress = false;
    for (const one of received) {
      const event = toEvent(one);
      // What came in one packet with an error is told to nobody, so another backend may still be asked.
      if (event?.['type'] === 'error') throw toErrorFault(event['error'], told);
      if (event === null) continue;
      // A ping tells that the connection is there, not that an answer is made.
      isProgress ||= event['type'] !== 'ping';
      events.push(...this.#reader.read(event));
    }
    if (isProgress) {
      this.#begun = true;
      this.#progress();
    }
    return events;
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

function toEvent({ event, data }: ReceivedEvent): JsonObject | null {
  // The mark at the end of another wire, which some imitations of this one send too.
  if (data === '[DONE]') return null;
  const value = parse(data);
  if (value === undefined) throw unusable('an event that is not JSON');
  if (!isJsonObject(value)) return null;
  if (typeof value['type'] === 'string') return value;
  return { ...value, type: isJsonObject(value['error']) ? 'error' : event };
}

function parseObject(text: string): JsonObject | null {
  const value = parse(text);
  return isJsonObject(value) ? value : null;
}

function parse(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

const statuses: Readonly<Record<string, number>> = { overloaded_error: 529, rate_limit_error: 429 };

/** Once something was told, coming back later does not help whoever read it. */
function toErrorFault(error: Json | undefined, told: boolean): Error {
  const type = isJsonObject(error) ? error['type'] : undefined;
  const status = typeof type === 'string' ? (statuses[type] ?? null) : null;
  return toStreamFault(error ?? null, told ? null : status);
}

function finish({ reader, filter, estimateInput }: Answer): Batch {
  const { ending } = reader;
  if (filter.stop !== null) {
    const usage = countUsage(reader.usage, filter, estimateInput);
    return [
      { type: 'usage', usage },
      { type: 'finish', reason: 'stop-sequence', stopSequence: filter.stop },
    ];
  }
  if (ending === null) throw unusable('a stream that ended without its end');
  const last = [...filter.tell(reader.close()), ...filter.end()];
  const usage = countUsage(reader.usage, filter, estimateInput);
  return [...last, { type: 'usage', usage }, { type: 'finish', ...ending }];
}

/** What was told, or an estimate. Of an answer that was left at a stop sequence the count of output never came. */
function countUsage(
  told: ModelUsage | null,
  { stop, chars }: TextFilter,
  estimateInput: () => number,
): ModelUsage {
  const output = Math.ceil(chars / charsPerToken);
  if (told === null) return { input: estimateInput(), output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return stop === null ? told : { ...told, output: Math.max(told.output, output) };
}
