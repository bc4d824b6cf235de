import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { OutboundBroken } from '../../../../kernel/kit/outbound.ts';
import type { ReceivedEvent } from '../../../../kernel/kit/sse-reader.ts';
import type { ModelEvent } from '../../model.ts';
import { toBrokenFault, toStreamFault, unusable } from '../../upstream-fault.ts';
import { AnswerBody, drain, isDone, tryParse } from '../../answer-body.ts';
import { DeltaEvents } from './delta-events.ts';
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

/** The events of an answer, a batch for each packet. Throws Fault for one that breaks off or cannot be read. */
export async function* readAnswer(begin: () => Promise<Answer>): AsyncGenerator<Batch> {
  const answer = await begin();
  const { reader, filter } = answer;
  const source = answer.chunks[Symbol.asyncIterator]();
  const body = new AnswerBody();
  const deltas = new DeltaEvents();
  let begun = false;
  const read = (received: readonly ReceivedEvent[]): ModelEvent[] => {
    const sent = toEvents(received, deltas, filter.emitted);
    // A ping shows that the connection is alive, not that an answer is being written.
    if (sent.some(({ type }) => type !== 'ping')) {
      begun = true;
      answer.progress();
    }
    return sent.flatMap((event) => reader.read(event));
  };
  const readEnd = () => (body.isWhole ? reader.readWhole(messageOf(body)) : read(body.end()));
  try {
    while (!reader.stopped && filter.stop === null) {
      const next = await source.next();
      const batch = filter.push(next.done === true ? readEnd() : read(body.push(next.value)));
      if (batch.length > 0) yield batch;
      if (next.done === true) break;
    }
    yield filter.finish(reader, answer.estimateInput);
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    // The reason comes after all of the content: only the end of the stream is missing.
    if (reader.ending === null) throw toBrokenFault(error, begun);
    yield filter.finish(reader, answer.estimateInput);
  } finally {
    if (reader.stopped && filter.stop === null) void drain(source);
    else await source.return?.();
  }
}

function messageOf(body: AnswerBody): JsonObject {
  const parsed = body.whole();
  const message = isJsonObject(parsed) ? parsed : null;
  if (isJsonObject(message?.['error'])) throw toErrorFault(message['error'], false);
  if (!Array.isArray(message?.['content'])) throw unusable('JSON that is no message');
  return message;
}

/** What came in one packet with an error is dropped, so another backend may still be asked. */
function toEvents(received: readonly ReceivedEvent[], deltas: DeltaEvents, emitted: boolean): JsonObject[] {
  const events: JsonObject[] = [];
  for (const one of received) {
    const event = deltas.read(one.data) ?? toEvent(one, deltas);
    if (event?.['type'] === 'error') throw toErrorFault(event['error'], emitted);
    if (event !== null) events.push(event);
  }
  return events;
}

function toEvent({ event, data }: ReceivedEvent, deltas: DeltaEvents): JsonObject | null {
  // The mark at the end of another wire, which some imitations of this one send too.
  if (isDone(data)) return null;
  const value = tryParse(data);
  if (value === undefined) throw unusable('an event that is not JSON');
  if (!isJsonObject(value)) return null;
  deltas.remember(data, value);
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
