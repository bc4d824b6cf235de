import type { Agent, Dispatcher } from 'undici';
import { afterTurn } from './after-turn.ts';
import { OutboundBroken } from './outbound-request.ts';
import type {
  OutboundFailure,
  OutboundHeaders,
  OutboundOutcome,
  OutboundRequest,
  OutboundStream,
} from './outbound-request.ts';

interface ExchangeBounds {
  /** Longest wait between two events; null where the body is one answer. Unit: ms. */
  readonly silenceMs: number | null;
  readonly totalMs: number;
  readonly bytesMax: number;
}

/** An address in the parts that undici wants. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

export type Begun =
  Extract<OutboundStream, { ok: true }> | Omit<Extract<OutboundOutcome, { ok: false }>, 'body'>;

/** Bytes read ahead of a slow reader before the connection is paused. */
const queuedBytesMax = 262_144;

/**
 * Sends one request and resolves with the first byte of the body, or its end. Uses undici's callbacks: `request`
 * wraps each body in a Readable and an AsyncResource, which costs more than all else that a forwarded stream needs.
 * Also aborts at once while connecting, where undici waits. Throws the reason of a signal that has aborted.
 */
export function beginExchange(
  agent: Agent,
  { origin, path }: Target,
  asked: OutboundRequest,
  headers: Readonly<Record<string, string>>,
  bounds: ExchangeBounds,
): Promise<Begun> {
  asked.signal.throwIfAborted();
  const exchange = new Exchange(asked, bounds);
  agent.dispatch({ origin, path, method: asked.method, headers, body: asked.json ?? null }, exchange);
  return exchange.begun;
}

type Read = PromiseWithResolvers<IteratorResult<Buffer, undefined>>;

/**
 * One request and its body, for one reader.
 *
 * - **waiting**: until the first byte, the end or a failure settles `begun`.
 * - **flowing**: bytes go to the reader or the queue; a full queue pauses the connection. One timer bounds the wait
 * for each event that the reader reports, another the whole.
 * - **over**: `#ended` or `#error` is set. The queue is still read, unless the caller aborted.
 */
class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Buffer> {
  readonly #asked: OutboundRequest;
  readonly #bounds: ExchangeBounds;
  readonly #begun = Promise.withResolvers<Begun>();
  readonly #onAbort = () => this.#end((this.#asked.signal.reason as Error | null) ?? new Error('aborted'));
  /**
   * Hands the reader what a packet holds: a packet of many small chunks, as busy servers send, is one step for all that
   * stand behind, and so are two packets where this server is busy itself.
   */
  readonly #deliver = () => {
    this.#isDue = false;
    const read = this.#read;
    if (read === null || this.#queue.length === 0) return;
    // First, because a connection that goes on may end at once, and what came last is not for this reading.
    this.#read = null;
    read.resolve({ done: false, value: this.#take() });
  };
  #timer: NodeJS.Timeout;
  readonly #total: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: OutboundHeaders = {};
  #flowing = false;
  #hasProgress = false;
  #over = false;
  #error: Error | null = null;
  #paused = false;
  #size = 0;
  #queued = 0;
  #queue: Buffer[] = [];
  #read: Read | null = null;
  /** Whether the reader gets the queue in a moment. */
  #isDue = false;

  constructor(asked: OutboundRequest, bounds: ExchangeBounds) {
    this.#asked = asked;
    this.#bounds = bounds;
    this.#timer = setTimeout(() => this.#onTime(), asked.timeoutMs);
    this.#total = setTimeout(
      () => this.#end(new OutboundBroken('timeout', new Error('deadline'))),
      bounds.totalMs,
    );
    asked.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get begun(): Promise<Begun> {
    return this.#begun.promise;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: OutboundHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over || chunk.length === 0) return;
    this.#size += chunk.length;
    if (this.#size > this.#bounds.bytesMax) {
      this.#end(new OutboundBroken('too_large', new Error(`more than ${this.#bounds.bytesMax} bytes`)));
      return;
    }
    if (!this.#flowing) this.#flow();
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    if (this.#read !== null && !this.#isDue) {
      this.#isDue = true;
      afterTurn(this.#deliver);
    }
    if (this.#queued > queuedBytesMax && !this.#paused) {
      this.#paused = true;
      this.#controller?.pause();
    }
  }

  onResponseEnd(): void {
    this.#controller = null;
    if (!this.#flowing && !this.#over) this.#flow();
    this.#end(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#controller = null;
    if (this.#over) return;
    if (this.#status === null && isNotHttp(error)) this.#fail('not_json', new Error('not HTTP'));
    else if (this.#status === null) this.#fail('connect', error);
    else this.#end(new OutboundBroken('cut', isNotHttp(error) ? new Error('not HTTP') : error));
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.#queue.length > 0) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#error !== null) {
      const error = this.#error;
      this.#error = null;
      return Promise.reject(error);
    }
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    this.#read = Promise.withResolvers();
    return this.#read.promise;
  }

  /** A reader that stops early closes the connection. */
  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#end(null);
    this.#drop();
    this.#error = null;
    return Promise.resolve({ done: true, value: undefined });
  }

  #isStream(): boolean {
    return this.#bounds.silenceMs !== null && this.#status !== null && this.#status < 300;
  }

  #flow(): void {
    this.#flowing = true;
    this.#begun.resolve({
      ok: true,
      status: this.#status ?? 0,
      headers: this.#headers,
      chunks: this,
      progress: () => this.#onProgress(),
    });
  }

  #onProgress(): void {
    if (this.#over) return;
    if (this.#hasProgress) {
      this.#timer.refresh();
      return;
    }
    this.#hasProgress = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTime(), this.#bounds.silenceMs ?? 0);
  }

  #onTime(): void {
    // The reader is busy, not the server silent.
    if (this.#flowing && this.#read === null && this.#isStream()) this.#timer.refresh();
    else this.#end(new OutboundBroken('timeout', new Error('deadline')));
  }

  #fail(failure: OutboundFailure, cause: unknown): void {
    this.#refuse(failure, cause);
    this.#end(null);
  }

  #refuse(failure: OutboundFailure, cause: unknown): void {
    this.#begun.resolve({ ok: false, failure, status: this.#status, headers: this.#headers, cause });
  }

  /** Goes to `over`. Null: the body is complete, or the rest is not wanted. */
  #end(error: Error | null): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#total);
    this.#asked.signal.removeEventListener('abort', this.#onAbort);
    if (this.#asked.signal.aborted) this.#drop();
    if (this.#flowing) this.#settleRead(error);
    else if (error instanceof OutboundBroken) this.#refuse(error.failure, error.cause);
    else if (error !== null) this.#begun.reject(error);
    this.#controller?.abort(new Error('given up'));
  }

  /** All that came, in one piece. */
  #take(): Buffer {
    const [first = Buffer.alloc(0)] = this.#queue;
    const bytes = this.#queue.length === 1 ? first : Buffer.concat(this.#queue, this.#queued);
    this.#queue = [];
    this.#queued = 0;
    if (this.#paused) {
      this.#paused = false;
      this.#controller?.resume();
    }
    return bytes;
  }

  #drop(): void {
    this.#queue = [];
    this.#queued = 0;
  }

  #settleRead(error: Error | null): void {
    this.#deliver();
    const read = this.#read;
    this.#read = null;
    if (read === null) this.#error = error;
    else if (error === null) read.resolve({ done: true, value: undefined });
    else read.reject(error);
  }
}

/** Not HTTP. undici's error carries what the server wrote, and would be logged. */
function isNotHttp(error: Error): boolean {
  return error.name === 'HTTPParserError';
}
