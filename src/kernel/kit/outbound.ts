import type {
  OutboundFailure,
  OutboundOutcome,
  OutboundRequest,
  OutboundStreamRequest,
  OutboundStream,
} from './outbound-request.ts';
import { Agent } from 'undici';
import type { Json } from './json.ts';
import { parseJson } from './json-parse.ts';
import { JsonError } from './json-error.ts';
import { beginExchange, type Begun } from './outbound-exchange.ts';
import { OutboundBroken } from './outbound-request.ts';
import { inflate } from './outbound-inflate.ts';

export { OutboundBroken } from './outbound-request.ts';

interface OutboundOptions {
  /** Of a response, decoded. */
  readonly responseBytesMax: number;
  /** Of a response that is read as a stream, decoded; without it `responseBytesMax`. */
  readonly streamBytesMax?: number;
  /** Connections kept per origin. A stream holds one until it ends; who finds none free waits. */
  readonly connectionsMax: number;
}

export interface Outbound {
  /** Rejects with the signal's reason when it aborts; everything else is an outcome. */
  call(request: OutboundRequest): Promise<OutboundOutcome>;
  /**
   * Resolves when the first byte of the body is there, so that whatever goes wrong before it is an outcome that may be
   * tried again. A status other than 2xx is read to its end within `timeoutMs`, as `call` does. Rejects with the signal's
   * reason when it aborts, which closes the connection at once.
   */
  open(request: OutboundStreamRequest): Promise<OutboundStream>;
  close(): Promise<void>;
}

const depthMax = 64;
/** Of the body of a status other than 2xx that answers `open`. */
const errorBytesMax = 1_048_576;

/**
 * Opens the one JSON client for servers that the operator names. Connections are kept, redirects are not followed
 * (a key would travel with them), and the declared content type is not believed. Private and loopback addresses
 * are allowed here, because that is where an operator's servers are; addresses that callers name must never reach
 * this client.
 */
export function openOutbound({
  responseBytesMax,
  streamBytesMax = responseBytesMax,
  connectionsMax,
}: OutboundOptions): Outbound {
  // Deadlines are ours and per call; undici's own would cut long evaluations at five minutes.
  const agent = new Agent({ connections: connectionsMax, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  return {
    async call(asked) {
      const bounds = { silenceMs: null, totalMs: asked.timeoutMs, bytesMax: responseBytesMax };
      const begun = await beginExchange(agent, asked, toHeaders(asked, 'application/json'), bounds);
      return begun.ok ? readJson(begun) : { ...begun, body: null };
    },
    async open(asked) {
      const { silenceMs, totalMs } = asked;
      const bounds = { silenceMs, totalMs, bytesMax: streamBytesMax };
      const begun = await beginExchange(agent, asked, toHeaders(asked, 'text/event-stream'), bounds);
      if (!begun.ok) return { ...begun, body: null };
      const chunks = inflate(begun.chunks, begun.headers['content-encoding'], bounds.bytesMax);
      if (isGood(begun.status)) return { ...begun, chunks };
      const outcome = await readJson({ ...begun, chunks: upTo(chunks, errorBytesMax) });
      return outcome as OutboundOutcome & { ok: false };
    },
    close: () => agent.destroy(),
  };
}

function toHeaders({ headers, json }: OutboundRequest, accept: string): Readonly<Record<string, string>> {
  const sent = { accept, 'accept-encoding': 'identity', ...headers };
  return json === undefined ? sent : { ...sent, 'content-type': 'application/json' };
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

async function* upTo(chunks: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > bytesMax) throw new OutboundBroken('too_large', new Error(`more than ${bytesMax} bytes`));
    yield chunk;
  }
}

async function readJson({ status, headers, chunks }: Begun & { ok: true }): Promise<OutboundOutcome> {
  const fail = (failure: OutboundFailure, cause: unknown, body: Json | null = null): OutboundOutcome => ({
    ok: false,
    failure,
    status,
    headers,
    body,
    cause,
  });
  const parts: Buffer[] = [];
  try {
    for await (const chunk of chunks) parts.push(chunk);
  } catch (error) {
    if (error instanceof OutboundBroken) return fail(error.failure, error.cause);
    throw error;
  }
  const good = isGood(status);
  try {
    const { value } = parseJson(Buffer.concat(parts), { depthMax });
    return good ? { ok: true, status, headers, body: value } : fail('status', statusError(status), value);
  } catch (error) {
    return good ? fail('not_json', plainError(error)) : fail('status', statusError(status));
  }
}

/** Without the names that the text held: they would be logged. */
function plainError(error: unknown): Error {
  return new Error(error instanceof JsonError ? error.message : 'not JSON');
}

function statusError(status: number): Error {
  return new Error(`status ${status}`);
}
