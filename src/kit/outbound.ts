import { Agent, request, type Dispatcher } from 'undici';
import { JsonError, parseJson, type Json } from './json.ts';

/** Why a call gave no usable JSON. An abort is none of these: it rejects. */
export type OutboundFailure =
  /** No answer began: refused, unknown name, no route, TLS, or the connection broke before the head. */
  | 'connect'
  /** The head came and the body broke off. */
  | 'cut'
  /** Not done when the time was over. */
  | 'timeout'
  /** More bytes than the cap. */
  | 'too_large'
  /** Done, and not JSON: HTML, truncated, duplicate keys, too deep. Or not HTTP at all. */
  | 'not_json'
  /** A status other than 2xx, redirects included: none is followed. */
  | 'status';

export type OutboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type OutboundOutcome =
  | { readonly ok: true; readonly status: number; readonly headers: OutboundHeaders; readonly body: Json }
  | {
      readonly ok: false;
      readonly failure: OutboundFailure;
      /** Null when no head arrived. */
      readonly status: number | null;
      readonly headers: OutboundHeaders;
      /** What came with a status other than 2xx, when it was JSON. Written by others: not for messages or logs. */
      readonly body: Json | null;
      readonly cause: unknown;
    };

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as JSON text. Text and not a value, so that the sender decides the order of names. */
  readonly json?: string;
  /** From the call to the last byte. Unit: ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface OutboundOptions {
  /** Of a response, decoded. */
  readonly responseBytesMax: number;
  /** Connections kept per origin. */
  readonly connectionsMax: number;
}

export interface Outbound {
  /** Rejects with the signal's reason when it aborts; everything else is an outcome. */
  call(request: OutboundRequest): Promise<OutboundOutcome>;
  close(): Promise<void>;
}

const depthMax = 64;

/**
 * Opens the one JSON client for servers that the operator names. Connections are kept, redirects are not followed
 * (a key would travel with them), and the declared content type is not believed. Private and loopback addresses
 * are allowed here, because that is where an operator's servers are; addresses that callers name must never reach
 * this client.
 */
export function openOutbound({ responseBytesMax, connectionsMax }: OutboundOptions): Outbound {
  // Deadlines are ours and per call; undici's own would cut long evaluations at five minutes.
  const agent = new Agent({ connections: connectionsMax, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  return {
    async call(asked) {
      asked.signal.throwIfAborted();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new Error('deadline')), asked.timeoutMs);
      const signal = AbortSignal.any([asked.signal, deadline.signal]);
      try {
        return await exchange(agent, asked, signal, responseBytesMax);
      } catch (error) {
        asked.signal.throwIfAborted();
        const none = { ok: false, status: null, headers: {}, body: null } as const;
        if (deadline.signal.aborted) return { ...none, failure: 'timeout', cause: error };
        if (isNotHttp(error)) return { ...none, failure: 'not_json', cause: new Error('not HTTP') };
        return { ...none, failure: 'connect', cause: error };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

async function exchange(
  agent: Agent,
  { method, url, headers = {}, json, signal: caller }: OutboundRequest,
  signal: AbortSignal,
  bytesMax: number,
): Promise<OutboundOutcome> {
  const sent = { accept: 'application/json', 'accept-encoding': 'identity', ...headers };
  const response = await request(url, {
    dispatcher: agent,
    method,
    headers: json === undefined ? sent : { ...sent, 'content-type': 'application/json' },
    body: json ?? null,
    signal,
  });
  const { statusCode: status, headers: received } = response;
  const fail = (failure: OutboundFailure, cause: unknown, body: Json | null = null): OutboundOutcome => ({
    ok: false,
    failure,
    status,
    headers: received,
    body,
    cause,
  });
  let bytes: Buffer | null;
  try {
    bytes = await readCapped(response.body, bytesMax);
  } catch (error) {
    caller.throwIfAborted();
    return fail(signal.aborted ? 'timeout' : 'cut', isNotHttp(error) ? new Error('not HTTP') : error);
  }
  if (bytes === null) return fail('too_large', new Error(`more than ${bytesMax} bytes`));
  const good = status >= 200 && status < 300;
  try {
    const { value } = parseJson(bytes, depthMax);
    return good
      ? { ok: true, status, headers: received, body: value }
      : fail('status', statusError(status), value);
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

/** Null when the body is larger than the cap; the rest is then not read and the connection is given up. */
async function readCapped(body: Dispatcher.ResponseData['body'], bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** A server that does not speak HTTP. The error of undici carries what the server wrote, and would be logged. */
function isNotHttp(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}
