import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** With a body of its own for each request. */
export type VariedLoad = Omit<Load, 'body'> & { readonly body: () => string };

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Unit: ms. */
  readonly p50: number;
  readonly p95: number;
}

/**
 * Closed loop on raw sockets: each client sends its next request when it has read the whole answer. Costs far less
 * CPU than an HTTP client, so that the server under test is what is measured. Throws on any status but 200.
 */
export async function runLoad(
  load: Load | VariedLoad,
  clients: number,
  seconds: number,
): Promise<LoadResult> {
  const { body } = load;
  const same = typeof body === 'string' ? toBytes(load, body) : null;
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  const target = new URL(load.url);
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = connect(Number(target.port), target.hostname);
      socket.setNoDelay(true);
      await once(socket, 'connect');
      const read = createReader(socket);
      while (performance.now() < endsAt) {
        const request = same ?? toBytes(load, typeof body === 'string' ? body : body());
        const sentAt = performance.now();
        socket.write(request);
        await read();
        latencies.push(performance.now() - sentAt);
      }
      socket.destroy();
    }),
  );
  const elapsed = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.floor((latencies.length - 1) * q)] ?? Number.NaN;
  return { requests: latencies.length, seconds: elapsed, p50: quantile(0.5), p95: quantile(0.95) };
}

function toBytes({ url, path, headers }: Omit<Load, 'body'>, body: string): Buffer {
  const lines = Object.entries({
    host: new URL(url).host,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** Resolves when one whole response has arrived. Responses are known to carry a content-length. */
function createReader(socket: Socket): () => Promise<void> {
  let buffered: Buffer = Buffer.alloc(0);
  let settle: { resolve: () => void; reject: (error: Error) => void } | null = null;
  socket.on('data', (chunk: Buffer) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const headEnd = buffered.indexOf('\r\n\r\n');
    if (headEnd < 0 || settle === null) return;
    const head = buffered.toString('latin1', 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (buffered.length < headEnd + 4 + length) return;
    buffered = buffered.subarray(headEnd + 4 + length);
    const { resolve, reject } = settle;
    settle = null;
    if (head.startsWith('HTTP/1.1 200')) resolve();
    else reject(new Error(head));
  });
  socket.on('error', (error) => settle?.reject(error));
  return () => new Promise((resolve, reject) => (settle = { resolve, reject }));
}
