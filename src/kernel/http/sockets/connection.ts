import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { Fault } from '../../faults.ts';
import type { JsonObject } from '../../kit/json.ts';
import { parseBody } from '../body.ts';
import { toErrorBody, type Surface } from '../error-dialects.ts';
import { faultHeaders } from '../headers.ts';
import type { SocketForm } from '../operation.ts';
import type { RunOperation } from '../pipeline.ts';
import { FramedReply, toRequest, type Origin } from './exchange.ts';

/** Messages of one connection that have no whole answer yet. */
const pendingMax = 16;
/** The longest message, and all together that have no whole answer. A message is parsed where requests are, so it is shorter than a body may be. */
export const messageBytesMax = 16_777_216;
/** Unsent bytes for which the next message waits. */
const unsentBytesMax = 262_144;
/** Time after which a client that reads nothing, or is gone without a word, is disconnected. */
const pingEveryMs = 60_000;
/** As long as OpenAI keeps one. */
const lifetimeMs = 3_600_000;

const goingAway = 1_001;

export interface ConnectionOptions {
  readonly path: string;
  readonly surface: Surface;
  readonly form: SocketForm;
  readonly origin: Origin;
  readonly run: RunOperation;
  readonly newId: () => string;
  readonly onClose: () => void;
}

/**
 * One WebSocket: each message is a request of its own, with key, limits, validation and billing of its own. Those of one
 * lane are answered one after the other.
 *
 * - **open**: messages are taken.
 * - **leaving**: the server stops, or its time is over: what was taken is answered, nothing else is.
 * - **closed**: what was not answered is aborted.
 */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #lanes = new Map<string | null, Promise<void>>();
  readonly #replies = new Set<ServerResponse & FramedReply>();
  readonly #pings: NodeJS.Timeout;
  readonly #lifetime: NodeJS.Timeout;
  #pending = 0;
  #pendingBytes = 0;
  #unsent = 0;
  #isAlive = true;
  #isLeaving = false;
  #isClosed = false;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#pings = setInterval(() => this.#ping(), pingEveryMs);
    this.#lifetime = setTimeout(() => this.#expire(), lifetimeMs);
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('pong', () => (this.#isAlive = true));
    // A frame that breaks the protocol or is too large: `ws` closes with the code that says so.
    socket.on('error', () => {});
    socket.once('close', () => this.#end());
  }

  /** Takes no more messages, and closes when what was taken is answered. */
  leave(): void {
    this.#isLeaving = true;
    if (this.#pending === 0) this.#socket.close(goingAway, 'the server is stopping');
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#isLeaving || this.#isClosed) return;
    const isFull = this.#pending > 0 && this.#pendingBytes + data.length > messageBytesMax;
    if (isFull || this.#pending >= pendingMax) {
      this.#refuse(new Fault('rate_limited', 'This connection has too many requests at a time.'), null);
      return;
    }
    this.#pending++;
    this.#pendingBytes += data.length;
    const done = this.#read(data, isBinary).catch(() => {});
    void done.finally(() => {
      this.#pending--;
      this.#pendingBytes -= data.length;
      if (this.#isLeaving) this.leave();
    });
  }

  async #read(data: Buffer, isBinary: boolean): Promise<void> {
    let lane: string | null = null;
    try {
      if (isBinary) throw new Fault('invalid_body');
      const { value, keepDigits } = parseBody(data);
      const read = this.#options.form.read(value);
      if ('answer' in read) return await this.#send(JSON.stringify(read.answer));
      ({ lane } = read);
      if (keepDigits !== null) await keepDigits(new AbortController().signal);
      return await this.#inTurn(lane, read.body);
    } catch (error) {
      if (error instanceof Fault) this.#refuse(error, lane);
      else throw error;
    }
  }

  #inTurn(lane: string | null, body: JsonObject): Promise<void> {
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const turn = before.then(() => this.#answer(lane, body));
    this.#lanes.set(lane, turn);
    return turn.finally(() => {
      if (this.#lanes.get(lane) === turn) this.#lanes.delete(lane);
    });
  }

  /** Never rejects: what goes wrong is an answer, or the end of the connection. */
  #answer(lane: string | null, body: JsonObject): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const { form, run, origin, path } = this.#options;
    return new Promise((resolve) => {
      const reply = FramedReply.of(
        (data) => this.#send(form.write(data, lane)),
        ({ status, headers }, answer) => this.#send(JSON.stringify(form.fail(status, headers, answer, lane))),
      );
      this.#replies.add(reply);
      reply.on('error', () => {});
      reply.once('close', () => {
        this.#replies.delete(reply);
        // What broke off must not look as if it went on.
        if (!reply.writableFinished) this.#socket.terminate();
        resolve();
      });
      run(toRequest(body, origin), reply, { path, params: {}, query: '' });
    });
  }

  /** Resolves when the next message may follow: at once, unless the client reads slower than it is written. */
  #send(text: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const bytes = text.length;
    this.#unsent += bytes;
    const sent = new Promise<void>((resolve) => {
      this.#socket.send(text, () => {
        this.#unsent -= bytes;
        resolve();
      });
    });
    return this.#unsent > unsentBytesMax ? sent : Promise.resolve();
  }

  #refuse(fault: Fault, lane: string | null): void {
    const { surface, form, newId } = this.#options;
    const body = toErrorBody(surface, fault, newId()) as JsonObject;
    void this.#send(JSON.stringify(form.fail(fault.status, faultHeaders(fault), body, lane)));
  }

  #ping(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  #expire(): void {
    void this.#send(JSON.stringify(this.#options.form.expired));
    this.leave();
  }

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#pings);
    clearTimeout(this.#lifetime);
    for (const reply of this.#replies) reply.destroy();
    this.#options.onClose();
  }
}
