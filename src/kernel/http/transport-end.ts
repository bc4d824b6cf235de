import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../faults.ts';

/** Time that requests have to notice that they were aborted. */
const abortGraceMs = 1_000;

/** Stops accepting; running requests have the grace time, then are aborted, then are cut. */
export async function closeTransport(
  app: FastifyInstance,
  stopping: AbortController,
  graceMs: number,
): Promise<void> {
  const closed = app.close();
  // A connection becomes idle when its last reply is out, and Node would keep it for the next request.
  const idle = setInterval(() => app.server.closeIdleConnections(), 20);
  const abort = setTimeout(() => {
    stopping.abort(new Fault('server_stopping', undefined, { retryAfterMs: 1_000 }));
  }, graceMs);
  const kill = setTimeout(() => app.server.closeAllConnections(), graceMs + abortGraceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(abort);
  clearTimeout(kill);
}

/** The address that callers use. */
export function toUrl({ address, family, port }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
