import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import { SignalRace } from '../kit/abort.ts';
import { formatEvent, type ServerSentEvent } from '../kit/sse.ts';
import { ChunkWriter } from './chunk-writer.ts';
import type {
  Billing,
  BytesReply,
  EmptyReply,
  JsonReply,
  LinesReply,
  Reply,
  StreamReply,
} from './operation.ts';

const silenceMs = 15_000;
/** Time after which a client that reads nothing is disconnected. */
const stalledMs = 120_000;
/** Smaller replies fit into the system's buffers. */
const smallBytesMax = 65_536;

/** In UTF-16 units. */
const pieceLength = 1_048_576;

export type HeaderMap = Record<string, string>;

/** Writes a JSON reply at once, or a long one in pieces that yield to the event loop. */
export function sendJson(
  response: ServerResponse,
  reply: JsonReply,
  headers: HeaderMap,
): Promise<void> | undefined {
  const payload = JSON.stringify(reply.body);
  if (payload.length > pieceLength) return sendInPieces(response, reply, headers, payload);
  sendWhole(response, reply, headers, jsonType, payload);
  return undefined;
}

export function sendBytes(response: ServerResponse, reply: BytesReply, headers: HeaderMap): undefined {
  sendWhole(response, reply, headers, reply.contentType, reply.bytes);
}

export function sendEmpty(response: ServerResponse, reply: EmptyReply, headers: HeaderMap): undefined {
  response.writeHead(reply.status, { ...headers, ...reply.headers });
  response.end();
}

const jsonType = 'application/json; charset=utf-8';
const linesType = 'application/x-ndjson';

function sendWhole(
  response: ServerResponse,
  reply: JsonReply | BytesReply,
  headers: HeaderMap,
  contentType: string,
  payload: string | Uint8Array,
): void {
  const bytes = Buffer.byteLength(payload);
  writeHead(response, reply, headers, contentType, bytes);
  // Node clears the timeout when the reply is sent, and disconnects when it expires.
  if (bytes > smallBytesMax) response.setTimeout(stalledMs);
  response.end(payload);
}

function writeHead(
  response: ServerResponse,
  reply: JsonReply | BytesReply,
  headers: HeaderMap,
  contentType: string,
  bytes: number,
): void {
  response.writeHead(reply.status, {
    ...headers,
    'content-type': contentType,
    'content-length': bytes,
    ...reply.headers,
  });
}

/** Counting and encoding 55 MB takes as long as stringifying it. */
async function sendInPieces(
  response: ServerResponse,
  reply: JsonReply,
  headers: HeaderMap,
  payload: string,
): Promise<void> {
  await setImmediate();
  writeHead(response, reply, headers, jsonType, Buffer.byteLength(payload));
  for (let start = 0, end = 0; start < payload.length && !response.destroyed; start = end) {
    end = start + pieceLength;
    // Keeps surrogate pairs together.
    if ((payload.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    await setImmediate();
    response.write(payload.slice(start, end));
  }
  endStream(response);
}

/**
 * Writes each batch at once, no faster than the client reads, with pings during silence. Failures after the first
 * byte are written in the stream's own form. Leaves ending the response to the caller. Resolves to the fault that
 * ended the stream, or null.
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
  const race = new SignalRace(signal);
  const first = await takeFirst(response, events, race);
  response.writeHead(reply.status, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...reply.headers,
    ...reply.headersThen?.(),
  });
  const body = new ChunkWriter(response);
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) body.write(reply.ping);
  }, silenceMs);
  let ended: Fault | null = null;
  try {
    for (let step = first; !step.done; step = await race.wait(events.next())) {
      ping.refresh();
      if (!body.write(formatEvents(step.value))) await drained(response, signal);
    }
  } catch (error) {
    ended = toFault(error);
    if (!response.destroyed) body.write(formatEvents(reply.endWith(ended, requestId)));
  } finally {
    race.close();
    clearInterval(ping);
    const returned = events.return?.();
    // A producer that ignores the signal must not keep the stream open.
    if (signal.aborted) returned?.catch(() => {});
    else await returned;
  }
  body.close();
  // The row of the ledger comes before the end: what was written last waits for it, so that both are one write.
  response.cork();
  return ended;
}

/**
 * Writes lines no faster than the client reads. What breaks off on the way breaks the connection off, so that nobody
 * takes a part for the whole. Resolves to the fault that did, or null.
 */
export async function sendLines(
  response: ServerResponse,
  { status, headers: own, lines }: LinesReply,
  headers: HeaderMap,
  signal: AbortSignal,
  toFault: (error: unknown) => Fault,
): Promise<Fault | null> {
  const texts = lines[Symbol.asyncIterator]();
  const race = new SignalRace(signal);
  const first = await takeFirst(response, texts, race);
  response.writeHead(status, { ...headers, 'content-type': linesType, 'cache-control': 'no-store', ...own });
  const body = new ChunkWriter(response);
  try {
    for (let step = first; step.done !== true; step = await race.wait(texts.next())) {
      if (!body.write(step.value)) await drained(response, signal);
    }
    return null;
  } catch (error) {
    response.destroy();
    return toFault(error);
  } finally {
    body.close();
    race.close();
    texts.return?.()?.catch(() => {});
  }
}

/**
 * An early failure is a plain HTTP error. Nobody reads the source after it, so it is left. HEAD waits for nothing: it sends
 * none of it, and the next event may come with the end of the work.
 */
async function takeFirst<Item>(
  { req }: ServerResponse,
  source: AsyncIterator<Item>,
  race: SignalRace,
): Promise<IteratorResult<Item>> {
  if (req.method === 'HEAD') return { done: true, value: undefined };
  try {
    return await race.wait(source.next());
  } catch (error) {
    race.close();
    source.return?.().catch(() => {});
    throw error;
  }
}

export function endStream(response: ServerResponse): undefined {
  response.setTimeout(stalledMs);
  response.end();
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  response.setTimeout(stalledMs);
  await once(response, 'drain', { signal });
  response.setTimeout(0);
}

function formatEvents(events: readonly ServerSentEvent[]): string {
  let text = '';
  for (const event of events) text += formatEvent(event);
  return text;
}

export function isStreamed(reply: Reply): reply is StreamReply | LinesReply {
  return 'events' in reply || 'lines' in reply;
}

/** What a reply costs; null where it costs nothing. */
export function billingOf(reply: Reply | null): Billing | null {
  if (reply === null || !('billing' in reply) || reply.billing === undefined) return null;
  return typeof reply.billing === 'function' ? reply.billing() : reply.billing;
}
