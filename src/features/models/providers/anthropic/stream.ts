import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { OutboundBroken } from '../../../../kernel/kit/outbound.ts';
import { createEventReader, type ReceivedEvent } from '../../../../kernel/kit/sse-reader.ts';
import type { ModelEvent, ModelUsage } from '../../model.ts';
import { estimateOutput, plainUsage } from '../../sound-usage.ts';
import { toBrokenFault, toStreamFault, unusable } from '../../upstream-fault.ts';
import { bodyKindOf, drain, eventBytesMax, tryParse, WholeBody, type BodyKind } from '../../answer-body.ts';
import type { MessageReader } from './response.ts';
import type { StopSequenceFilter } from '../../stop-sequence-filter.ts';

type Batch = readonly ModelEvent[];

interface Answer {
  readonly chunks: AsyncIterable<Buffer>;
  /** To be called for each event. */
  readonly progress: () => void;
  readonly reader: MessageReader;
  readonly filter: StopSequenceFilter;
  /** For backends that report no usage. Unit: tokens. */
  readonly estimateInput: () => number;
}

/**
 * The events of an answer, one batch for each packet that held any. `begin` is awaited inside, so that one generator
 * does it all. Throws Fault for an answer that broke off, cannot be read, or is an error.
 */
export async function* readAnswer(begin: () => Promise<Answer>): AsyncGenerator<Batch> {
  const answer = await begin();
  const { reader, filter } = answer;
  const source = answer.chunks[Symbol.asyncIterator]();
  const body = new Body(answer);
  try {
    while (!reader.stopped && filter.stop === null) {
      const next = await source.next();
      const { emitted } = filter;
      const batch = filter.push(next.done === true ? body.end(emitted) : body.push(next.value, emitted));
      if (batch.length > 0) yield batch;
      if (next.done === true) break;
    }
    yield finish(answer);
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    // The reason comes after all of the content: only the end of the stream is missing.
    if (reader.ending === null) throw toBrokenFault(error, body.begun);
    yield finish(answer);
  } finally {
    if (reader.stopped && filter.stop === null) void drain(source);
    else await source.return?.();
  }
}

/** The bytes of an answer: events, or a message as one JSON text from a server that does not stream. */
class Body {
  readonly #reader: MessageReader;
  readonly #progress: () => void;
  readonly #sse = createEventReader(eventBytesMax);
  readonly #whole = new WholeBody();
  #kind: BodyKind = 'unknown';
  #begun = false;

  constructor({ reader, progress }: Answer) {
    this.#reader = reader;
    this.#progress = progress;
  }

  /** Whether an event came. */
  get begun(): boolean {
    return this.#begun;
  }

  push(chunk: Buffer, emitted: boolean): ModelEvent[] {
    if (this.#kind === 'unknown') this.#kind = bodyKindOf(chunk);
    if (this.#kind !== 'whole') return this.#read(this.#sse.push(chunk), emitted);
    this.#whole.push(chunk);
    return [];
  }

  end(emitted: boolean): ModelEvent[] {
    if (this.#kind !== 'whole') return this.#read(this.#sse.end(), emitted);
    const parsed = tryParse(this.#whole.text());
    const message = isJsonObject(parsed) ? parsed : null;
    if (isJsonObject(message?.['error'])) throw toErrorFault(message['error'], false);
    if (!Array.isArray(message?.['content'])) throw unusable('JSON that is no message');
    return this.#reader.readWhole(message);
  }

  #read(received: readonly ReceivedEvent[], emitted: boolean): ModelEvent[] {
    const events: ModelEvent[] = [];
    let isProgress = false;
    for (const one of received) {
      const event = toEvent(one);
      // What came in one packet with an error is dropped, so another backend may still be asked.
      if (event?.['type'] === 'error') throw toErrorFault(event['error'], emitted);
      if (event === null) continue;
      // A ping shows that the connection is alive, not that an answer is being written.
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

function toEvent({ event, data }: ReceivedEvent): JsonObject | null {
  // The mark at the end of another wire, which some imitations of this one send too.
  if (data === '[DONE]') return null;
  const value = tryParse(data);
  if (value === undefined) throw unusable('an event that is not JSON');
  if (!isJsonObject(value)) return null;
  if (typeof value['type'] === 'string') return value;
  return { ...value, type: isJsonObject(value['error']) ? 'error' : event };
}

const statuses: Readonly<Record<string, number>> = { overloaded_error: 529, rate_limit_error: 429 };

/** Once output was emitted, the status is dropped: a later attempt does not help a caller who has read some of it. */
function toErrorFault(error: Json | undefined, emitted: boolean): Error {
  const type = isJsonObject(error) ? error['type'] : undefined;
  const status = typeof type === 'string' ? (statuses[type] ?? null) : null;
  return toStreamFault(error ?? null, emitted ? null : status);
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
  const last = [...filter.push(reader.close()), ...filter.end()];
  const usage = countUsage(reader.usage, filter, estimateInput);
  return [...last, { type: 'usage', usage }, { type: 'finish', ...ending }];
}

/** The reported usage, or an estimate. An answer that was left at a stop sequence never gets its count of output. */
function countUsage(
  reported: ModelUsage | null,
  { stop, chars }: StopSequenceFilter,
  estimateInput: () => number,
): ModelUsage {
  const output = estimateOutput(chars);
  if (reported === null) return plainUsage(estimateInput(), output);
  return stop === null ? reported : { ...reported, output: Math.max(reported.output, output) };
}
