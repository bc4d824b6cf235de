import { OutboundBroken } from '../../../../kernel/kit/outbound.ts';
import type { ModelEvent } from '../../model.ts';
import { toBrokenFault, unusable } from '../../upstream-fault.ts';
import { AnswerBody, drain } from '../../answer-body.ts';
import type { ResponseReader } from './response.ts';

interface Answer {
  readonly chunks: AsyncIterable<Buffer>;
  /** To be called for each event. */
  readonly progress: () => void;
  readonly reader: ResponseReader;
}

/** The events of an answer, a batch for each packet, in one generator: a second costs as much as reading a chunk. */
export async function* readAnswer(begin: () => Promise<Answer>): AsyncGenerator<readonly ModelEvent[]> {
  const { chunks, progress, reader } = await begin();
  const source = chunks[Symbol.asyncIterator]();
  const body = new AnswerBody();
  let begun = false;
  try {
    for (;;) {
      const next = await source.next();
      if (next.done === true) break;
      const received = body.push(next.value);
      // A comment completes no event, so a server that only keeps the connection alive still times out.
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
    yield body.isWhole ? reader.whole(completionOf(body)) : [...reader.push(body.end()), ...reader.end()];
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    // The model had reported why it stopped: only usage and the end of the stream are missing.
    if (reader.phase !== 'finishing') throw toBrokenFault(error, begun);
    yield reader.end();
  } finally {
    if (reader.phase === 'done' && !reader.isCutShort) void drain(source);
    else await source.return?.();
  }
}

function completionOf(body: AnswerBody) {
  const completion = body.whole();
  if (completion === undefined) throw unusable('an answer that is neither events nor JSON');
  return completion;
}
