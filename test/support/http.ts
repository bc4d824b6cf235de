import assert from 'node:assert/strict';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends the body without Content-Length. */
  readonly chunked?: boolean;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type Send = (sent: Sent) => Promise<Received>;

/** A client below fetch: sends what it is told, unusual methods and paths included. */
export function createClient(url: string, sockets = 64): Send & { close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const { hostname, port } = new URL(url);
  const send: Send = ({ method = 'GET', path, headers = {}, body, chunked = false }) =>
    new Promise((resolve, reject) => {
      const length =
        body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const outgoing = request(
        { agent, hostname, port, method, path, headers: { ...length, ...headers } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (piece: Buffer) => chunks.push(piece));
          incoming.on('error', reject);
          incoming.on('end', () => {
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            });
          });
        },
      );
      // A server that refuses a body half-way may close while we still write; the answer counts if it came.
      outgoing.on('error', reject);
      if (body === undefined) outgoing.end();
      else if (chunked) {
        outgoing.write(body);
        outgoing.end();
      } else outgoing.end(body);
    });
  return Object.assign(send, {
    close() {
      agent.destroy();
    },
  });
}

/** The caller says what it expects; tests check it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function jsonOf<Value = Record<string, unknown>>({ text }: { readonly text: string }): Value {
  return JSON.parse(text) as Value;
}

export interface ErrorObject {
  readonly message: string;
  readonly type: string;
  readonly code: string | number | null;
  readonly param: string | null;
}

export function errorOf(received: { readonly text: string }): ErrorObject {
  return jsonOf<{ error: ErrorObject }>(received).error;
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Reads until the other side ends or `isEnough` says so. */
export function readSocket(
  socket: Socket,
  isEnough: (text: string) => boolean = () => false,
  limitMs = 120_000,
): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`nothing more came after: ${text}`));
    }, limitMs);
    const done = () => {
      clearTimeout(timer);
      socket.off('data', onData).off('end', done).off('close', done);
      resolve(text);
    };
    const onData = (piece: Buffer) => {
      text += piece.toString('latin1');
      if (isEnough(text)) done();
    };
    socket.on('data', onData).once('end', done).once('close', done);
  });
}

export interface RawResponse extends Received {
  readonly headers: Record<string, string>;
}

/** Splits what a socket received into responses; all of ours carry Content-Length. */
export function parseResponses(raw: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = raw;
  while (rest.length > 0) {
    const split = rest.indexOf('\r\n\r\n');
    assert.ok(split > 0, `no end of head in ${JSON.stringify(rest.slice(0, 200))}`);
    const [first = '', ...lines] = rest.slice(0, split).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(first.split(' ')[1]);
    if (status < 200) {
      rest = rest.slice(split + 4);
      continue;
    }
    const length = Number(headers['content-length'] ?? 0);
    const text = Buffer.from(rest.slice(split + 4, split + 4 + length), 'latin1').toString('utf8');
    responses.push({ status, headers, text });
    rest = rest.slice(split + 4 + length);
  }
  return responses;
}
