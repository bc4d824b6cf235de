import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Fault } from '../faults.ts';
import { raceSignal } from '../kit/abort.ts';
import { formatEvent } from '../kit/sse.ts';
import type { JsonReply, StreamReply } from './operation.ts';

const silenceMs = 15_000;

export type HeaderMap = Record<string, string>;

/** Writes a whole JSON reply with one write. */
export function sendJson(response: ServerResponse, reply: JsonReply, headers: HeaderMap): void {
  const payload = JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(payload),
    ...reply.headers,
  });
  response.end(payload);
}

/**
 * Writes events as they come, no faster than the client reads, with a ping while nothing comes. A failure after
 * the first byte is told in the stream's own form. Resolves to the fault that ended it, or null.
 */
export async function sendStream(
  response: ServerResponse,
  reply: StreamReply,
  headers: HeaderMap,
  requestId: string,
  signal: AbortSignal,
  toFault: (error: unknown) => Fault,
): Promise<Fault | null> {
  const events = reply.events[Symbol.asyncIterator]();
  // The first event is awaited before the status is sent, so that what fails at once is a plain HTTP error.
  const first = await raceSignal(events.next(), signal);
  response.writeHead(reply.status, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...reply.headers,
  });
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) response.write(reply.ping);
  }, silenceMs);
  let ended: Fault | null = null;
  try {
    for (let step = first; !step.done; step = await raceSignal(events.next(), signal)) {
      ping.refresh();
      if (!response.write(formatEvent(step.value))) await once(response, 'drain', { signal });
    }
  } catch (error) {
    ended = toFault(error);
    if (!response.destroyed)
      for (const event of reply.endWith(ended, requestId)) response.write(formatEvent(event));
  } finally {
    clearInterval(ping);
    const returned = events.return?.();
    // A producer that does not listen to the signal must not keep the stream open.
    if (signal.aborted) returned?.catch(() => {});
    else await returned;
  }
  response.end();
  return ended;
}
