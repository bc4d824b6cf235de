import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { parseJson } from '../../../kernel/kit/json-parse.ts';
import { OutboundBroken, type Outbound } from '../../../kernel/kit/outbound.ts';
import { readEvents } from '../../../kernel/kit/sse-reader.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { McpError } from './items.ts';

/** Where a server is, and what is sent to it. */
export interface McpEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest wait for one answer. Unit: ms. */
  readonly timeoutMs: number;
}

/** An answer that cannot be used. */
export class McpFailure extends Error {
  readonly error: Extract<McpError, { message: string }>;

  constructor(type: McpFailure['error']['type'], code: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'McpFailure';
    this.error = { type, code, message };
  }
}

type Sent = { readonly sessionId: string | null; readonly message: JsonObject | null };

const protocolVersion = '2025-11-25';
const depthMax = 64;
/** Of one answer; the connection ends a longer body. */
export const answerBytesMax = 4_194_304;
const closeTimeoutMs = 5_000;
const parseTimeoutMs = 10_000;

/**
 * A session with a server over Streamable HTTP, for one run.
 *
 *   new     -- first request --> open      the server may give the session an id
 *   open    -- 404 ------------> new       it forgot the session; the request is sent once more
 *   open    -- close ----------> closed    the server is told, and not waited for
 */
export class McpSession {
  readonly #outbound: Outbound;
  readonly #endpoint: McpEndpoint;
  readonly #client: { readonly name: string; readonly version: string };
  #opened: Promise<void> | null = null;
  #sessionId: string | null = null;
  #version: string | null = null;
  #id = 0;

  constructor(outbound: Outbound, endpoint: McpEndpoint, version: string) {
    this.#outbound = outbound;
    this.#endpoint = endpoint;
    this.#client = { name: 'nestor', version };
  }

  /** `params` is JSON text. Rejects with McpFailure, or the reason of the signal. */
  async request(method: string, params: string, signal: AbortSignal): Promise<JsonObject> {
    for (let attempt = 0; ; attempt++) {
      await (this.#opened ??= this.#open(signal));
      const sessionId = this.#sessionId;
      try {
        return await this.#ask(method, params, signal);
      } catch (error) {
        const isForgotten = error instanceof McpFailure && error.error.code === 404 && sessionId !== null;
        if (!isForgotten || attempt > 0) throw error;
        this.#reset();
      }
    }
  }

  /** Tells the server that the session is over. */
  async close(): Promise<void> {
    if (this.#sessionId === null) return;
    const signal = AbortSignal.timeout(closeTimeoutMs);
    const sent = { ...this.#sending(closeTimeoutMs, signal), method: 'DELETE' as const };
    this.#reset();
    // A server may refuse it, and nothing depends on it.
    await this.#outbound.call(sent).catch(() => undefined);
  }

  #reset(): void {
    this.#opened = null;
    this.#sessionId = null;
    this.#version = null;
  }

  async #open(signal: AbortSignal): Promise<void> {
    try {
      const params = JSON.stringify({ protocolVersion, capabilities: {}, clientInfo: this.#client });
      const { protocolVersion: agreed } = await this.#ask('initialize', params, signal);
      this.#version = typeof agreed === 'string' && /^[\w.-]{1,32}$/.test(agreed) ? agreed : null;
      await this.#send('{"jsonrpc":"2.0","method":"notifications/initialized"}', null, signal);
    } catch (error) {
      this.#reset();
      throw error;
    }
  }

  async #ask(method: string, params: string, signal: AbortSignal): Promise<JsonObject> {
    const id = ++this.#id;
    const json = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
    const { message, sessionId } = await this.#send(json, id, signal);
    if (method === 'initialize') this.#sessionId = sessionId;
    const { result, error } = message ?? {};
    if (isJsonObject(error)) {
      const { code, message: said } = error;
      const words = typeof said === 'string' ? quote(said, 500) : 'The server refused the request.';
      throw new McpFailure('mcp_protocol_error', typeof code === 'number' ? code : -32_603, words);
    }
    if (isJsonObject(result)) return result;
    throw new McpFailure('mcp_protocol_error', -32_603, 'The server gave no answer of the protocol.');
  }

  #sending(timeoutMs: number, signal: AbortSignal) {
    const { url, headers } = this.#endpoint;
    return {
      url,
      headers: {
        ...headers,
        accept: 'application/json, text/event-stream',
        ...(this.#version !== null && { 'mcp-protocol-version': this.#version }),
        ...(this.#sessionId !== null && { 'mcp-session-id': this.#sessionId }),
      },
      timeoutMs,
      signal,
    };
  }

  /** Resolves to the message that answers `id`; null where nothing is asked. */
  async #send(json: string, id: number | null, signal: AbortSignal): Promise<Sent> {
    const { timeoutMs } = this.#endpoint;
    // The answer to a notification says nothing, and may be a stream that never ends.
    const enough = new AbortController();
    const either = AbortSignal.any([signal, enough.signal]);
    const asked = { ...this.#sending(timeoutMs, either), method: 'POST' as const, json };
    const answer = await this.#outbound.open({ ...asked, silenceMs: timeoutMs, totalMs: timeoutMs });
    if (!answer.ok) throw answer.failure === 'status' ? refusal(answer.status ?? 0) : broken(answer.failure);
    const { headers, chunks } = answer;
    const isStream = one(headers['content-type'])?.startsWith('text/event-stream') === true;
    try {
      const messages = isStream ? readStream(chunks) : readWhole(chunks);
      const message = id === null ? null : await findAnswer(messages, id);
      return { message, sessionId: one(headers['mcp-session-id']) ?? null };
    } catch (error) {
      throw error instanceof OutboundBroken ? broken(error.failure, error) : error;
    } finally {
      enough.abort();
    }
  }
}

async function findAnswer(messages: AsyncIterable<Json>, id: number): Promise<JsonObject | null> {
  for await (const message of messages) {
    const list: readonly Json[] = Array.isArray(message) ? message : [message];
    const found = list.find((each) => isJsonObject(each) && each['id'] === id && !('method' in each));
    if (isJsonObject(found)) return found;
  }
  return null;
}

async function* readStream(chunks: AsyncIterable<Buffer>): AsyncGenerator<Json> {
  for await (const events of readEvents(chunks, answerBytesMax))
    for (const { data } of events) if (data !== '') yield await parse(Buffer.from(data));
}

async function* readWhole(chunks: AsyncIterable<Buffer>): AsyncGenerator<Json> {
  const bytes = Buffer.concat(await Array.fromAsync(chunks));
  if (bytes.length > 0) yield await parse(bytes);
}

/** Integers keep every digit. */
async function parse(bytes: Buffer): Promise<Json> {
  try {
    const { value, keepDigits } = parseJson(bytes, { depthMax });
    await keepDigits?.(AbortSignal.timeout(parseTimeoutMs));
    return value;
  } catch {
    // What it wrote instead is nobody's to read.
    throw new McpFailure('mcp_protocol_error', -32_700, 'The server did not answer in JSON.');
  }
}

const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

const refusal = (status: number): McpFailure =>
  new McpFailure('http_error', status, `The server answered with the status ${status}.`);

function broken(failure: string, cause?: unknown): McpFailure {
  if (failure === 'timeout')
    return new McpFailure('http_error', 504, 'The server did not answer in time.', cause);
  if (failure === 'too_large') return new McpFailure('http_error', 502, 'The server sent too much.', cause);
  return new McpFailure('http_error', 502, 'The server cannot be reached.', cause);
}
