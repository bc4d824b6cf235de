import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { isJsonObject, type JsonObject } from '../../kit/json.ts';
import { EventReader } from '../../kit/sse-reader.ts';

/** What a message brings along of the request that opened its connection. */
export interface Origin {
  readonly headers: IncomingMessage['headers'];
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly localPort: number;
}

/** Headers of the opening request that every message has too. */
const lasting = ['authorization', 'x-api-key', 'host', 'user-agent'] as const;

/** A request of one message, as far as the pipeline reads one. */
export function toRequest(body: JsonObject, { headers, ...addresses }: Origin): IncomingMessage {
  const bytes = Buffer.from(JSON.stringify(body));
  const kept = lasting.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const request = Object.assign(Readable.from([bytes], { objectMode: false }), {
    headers: {
      ...Object.fromEntries(kept),
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    },
    complete: true,
    socket: addresses,
  });
  return request as unknown as IncomingMessage;
}

export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** One event of a stream is a message, and a body is never longer than a stream. */
const eventBytesMax = 134_217_728;

/**
 * What the pipeline writes of a reply, as far as it writes one: the data of events goes out event by event, no faster
 * than it is taken, and any other body as a whole.
 */
export class FramedReply extends Writable {
  readonly #send: (text: string) => Promise<void>;
  readonly #onBody: (outcome: Outcome, body: JsonObject) => Promise<void>;
  readonly #reader = new EventReader(eventBytesMax);
  readonly #pieces: Buffer[] = [];
  #outcome: Outcome | null = null;

  constructor(
    send: (text: string) => Promise<void>,
    onBody: (outcome: Outcome, body: JsonObject) => Promise<void>,
  ) {
    super({ decodeStrings: true });
    this.#send = send;
    this.#onBody = onBody;
  }

  static of(...handlers: ConstructorParameters<typeof FramedReply>): ServerResponse & FramedReply {
    return new FramedReply(...handlers) as unknown as ServerResponse & FramedReply;
  }

  /** No connection of its own. */
  readonly socket = null;
  /** A message asks as a POST does. */
  readonly req = { method: 'POST' } as const;

  get headersSent(): boolean {
    return this.#outcome !== null;
  }

  get statusCode(): number {
    return this.#outcome?.status ?? 200;
  }

  getHeaders(): Readonly<Record<string, string>> {
    return {};
  }

  /** A connection has limits of its own. */
  setTimeout(): void {}

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    const told = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    this.#outcome = { status, headers: Object.fromEntries(told) as Outcome['headers'] };
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isStream) void tell(this.#sendEvents(chunk), done);
    else {
      this.#pieces.push(chunk);
      done();
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    const outcome = this.#outcome;
    if (outcome === null || this.#isStream) {
      done();
      return;
    }
    const body: unknown = JSON.parse(Buffer.concat(this.#pieces).toString('utf8') || '{}');
    void tell(this.#onBody(outcome, isJsonObject(body) ? body : {}), done);
  }

  get #isStream(): boolean {
    return this.#outcome?.headers['content-type']?.startsWith('text/event-stream') ?? false;
  }

  async #sendEvents(chunk: Buffer): Promise<void> {
    for (const { data } of this.#reader.push(chunk)) await this.#send(data);
  }
}

async function tell(work: Promise<void>, done: (error?: Error | null) => void): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => (reason instanceof Error ? reason : new Error('not sent')),
  );
  done(error);
}
