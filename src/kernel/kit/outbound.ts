import {
  type OutboundFailure,
  type OutboundOutcome,
  type OutboundRequest,
  type OutboundStreamRequest,
  type OutboundStream,
  OutboundBroken,
} from './outbound-request.ts';
import { Agent, type buildConnector } from 'undici';
import { type Json, JsonError } from './json.ts';
import { parseJson } from './json-parse.ts';
import { beginExchange, type Begun, type Target } from './outbound-exchange.ts';
import { inflate, upTo } from './outbound-inflate.ts';

export { OutboundBroken } from './outbound-request.ts';

interface OutboundOptions {
  /** Of a decoded response. */
  readonly responseBytesMax: number;
  /** Of a decoded stream; `responseBytesMax` by default. */
  readonly streamBytesMax?: number;
  /** Connections per origin. A stream holds one until it ends; further calls wait. */
  readonly connectionsMax: number;
  /** Refuses addresses of others than the operator; it has to be the guarded one where a caller names them. */
  readonly connect?: buildConnector.connector;
}

export interface Outbound {
  /** Rejects with the signal's reason only; everything else is an outcome. */
  call(request: OutboundRequest): Promise<OutboundOutcome>;
  /**
   * Resolves with the first byte of the body, so that earlier failures are outcomes that may be retried. An error
   * status is read to its end within `timeoutMs`. Rejects with the signal's reason, which closes the connection.
   */
  open(request: OutboundStreamRequest): Promise<OutboundStream>;
  close(): Promise<void>;
}

const depthMax = 64;
/** Of the body of an error status that answers `open`. */
const errorBytesMax = 1_048_576;

/**
 * Opens the JSON client for servers that the operator names; addresses from callers must never reach it without a
 * guarded `connect`, since it allows private ones. Redirects are not followed (a key would travel along), and the content type is not trusted.
 */
export function openOutbound({
  responseBytesMax,
  streamBytesMax = responseBytesMax,
  connectionsMax,
  connect,
}: OutboundOptions): Outbound {
  // Deadlines are per call; undici's own would cut long evaluations after five minutes.
  const agent = new Agent({
    connections: connectionsMax,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    ...(connect && { connect }),
  });
  const targetOf = createTargetOf();
  const callHeadersOf = createHeadersOf('application/json');
  const streamHeadersOf = createHeadersOf('text/event-stream');
  return {
    async call(asked) {
      const bounds = { silenceMs: null, totalMs: asked.timeoutMs, bytesMax: responseBytesMax };
      const begun = await beginExchange(agent, targetOf(asked.url), asked, callHeadersOf(asked), bounds);
      return begun.ok ? readJson(begun) : { ...begun, body: null };
    },
    async open(asked) {
      const { silenceMs, totalMs } = asked;
      const bounds = { silenceMs, totalMs, bytesMax: streamBytesMax };
      const begun = await beginExchange(agent, targetOf(asked.url), asked, streamHeadersOf(asked), bounds);
      if (!begun.ok) return { ...begun, body: null };
      const chunks = inflate(begun.chunks, begun.headers['content-encoding'], bounds.bytesMax);
      if (isGood(begun.status)) return { ...begun, chunks };
      const outcome = await readJson({ ...begun, chunks: upTo(chunks, errorBytesMax) });
      return outcome as OutboundOutcome & { ok: false };
    },
    close: () => agent.destroy(),
  };
}

/** Reads an address once: mostly a call goes where the last one went. */
function createTargetOf(): (url: string) => Target {
  let last = { url: '', origin: '', path: '' };
  return (url) => {
    if (url === last.url) return last;
    const { origin, pathname, search } = new URL(url);
    return (last = { url, origin, path: pathname + search });
  };
}

type Headers = Readonly<Record<string, string>>;

/** Puts headers together once: mostly a call has those of the last one, which are the same object. */
function createHeadersOf(accept: string): (asked: OutboundRequest) => Headers {
  let last: { readonly own: Headers | undefined; readonly hasBody: boolean; readonly all: Headers } | null =
    null;
  return ({ headers: own, json }) => {
    const hasBody = json !== undefined;
    if (last !== null && last.own === own && last.hasBody === hasBody) return last.all;
    const sent = { accept, 'accept-encoding': 'identity', ...own };
    const all = hasBody ? { ...sent, 'content-type': 'application/json' } : sent;
    last = { own, hasBody, all };
    return all;
  };
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

async function readJson({ status, headers, chunks }: Begun & { ok: true }): Promise<OutboundOutcome> {
  const fail = (failure: OutboundFailure, cause: unknown, body: Json | null = null): OutboundOutcome => {
    return { ok: false, failure, status, headers, body, cause };
  };
  let bytes: Buffer;
  try {
    bytes = Buffer.concat(await Array.fromAsync(chunks));
  } catch (error) {
    if (error instanceof OutboundBroken) return fail(error.failure, error.cause);
    throw error;
  }
  const good = isGood(status);
  try {
    const { value } = parseJson(bytes, { depthMax });
    return good ? { ok: true, status, headers, body: value } : fail('status', statusError(status), value);
  } catch (error) {
    return good ? fail('not_json', plainError(error)) : fail('status', statusError(status));
  }
}

/** Leaves out the names in the text, which would be logged. */
function plainError(error: unknown): Error {
  return new Error(error instanceof JsonError ? error.message : 'not JSON');
}

function statusError(status: number): Error {
  return new Error(`status ${status}`);
}
