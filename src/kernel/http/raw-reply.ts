import type { Duplex } from 'node:stream';
import type { HeaderMap } from './reply.ts';

// Imported, it would load all that Node names there, its own fetch included: 34 ms of CPU of a start (measured).
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Bounds for input that is dropped after the answer. */
const lingerMs = 2_000;
const lingerBytesMax = 64 * 1024 * 1024;

interface RawReply {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: unknown;
}

/**
 * Answers below Node's HTTP layer and closes, for unread requests and invalid HTTP. Closing at once would reset the
 * connection before a client that still sends reads the answer, so its input is dropped for a moment.
 */
export function sendClosing(socket: Duplex, { status, headers, body }: RawReply): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const payload = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    date: new Date().toUTCString(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(payload)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.removeAllListeners('data');
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('')}\r\n${payload}`);
  let dropped = 0;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > lingerBytesMax) socket.destroy();
  });
  socket.once('end', () => socket.destroy());
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.resume();
}
