import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../faults.ts';

/** Time for requests to notice their abort. */
const abortGraceMs = 1_000;

/** Stops accepting; running requests get the grace time, are then aborted, then disconnected. */
export async function closeTransport(
  app: FastifyInstance,
  stopping: AbortController,
  graceMs: number,
): Promise<void> {
  const closed = app.close();
  // Node would keep connections that become idle for further requests.
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

export function toUrl({ address, family, port }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
