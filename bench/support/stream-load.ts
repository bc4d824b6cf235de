import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Load, LoadResult } from './load.ts';

export interface StreamLoadResult extends LoadResult {
  /** Until the first byte of a body. Unit: ms. */
  readonly firstByteP50: number;
}

/** How long a load goes on. */
export type LoadLength = { readonly seconds: number } | { readonly requests: number };

/**
 * The closed loop of `runLoad` for replies of either framing, which also tells when their bodies began. Throws on any
 * status but 200.
 */
export async function runStreamLoad(
  load: Load,
  clients: number,
  length: LoadLength,
): Promise<StreamLoadResult> {
  const request = toBytes(load);
  const latencies: number[] = [];
  const firsts: number[] = [];
  const startedAt = performance.now();
  let begun = 0;
  const goesOn = () =>
    'requests' in length ? begun < length.requests : performance.now() < startedAt + length.seconds * 1_000;
  const target = new URL(load.url);
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = connect(Number(target.port), target.hostname);
      socket.setNoDelay(true);
      await once(socket, 'connect');
      const read = createReader(socket);
      while (goesOn()) {
        begun++;
        const sentAt = performance.now();
        socket.write(request);
        const firstAt = await read();
        firsts.push(firstAt - sentAt);
        latencies.push(performance.now() - sentAt);
      }
      socket.destroy();
    }),
  );
  const elapsed = (performance.now() - startedAt) / 1_000;
  return {
    requests: latencies.length,
    seconds: elapsed,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    firstByteP50: quantile(firsts, 0.5),
  };
}

function quantile(values: number[], q: number): number {
  values.sort((a, b) => a - b);
  return values[Math.floor((values.length - 1) * q)] ?? Number.NaN;
}

function toBytes({ url, path, headers, body }: Load): Buffer {
  const lines = Object.entries({
    host: new URL(url).host,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

const chunkedEnd = '\r\n0\r\n\r\n';

/** Resolves to the time of the first byte of the body, when the whole response has arrived. */
function createReader(socket: Socket): () => Promise<number> {
  let head = '';
  let state: { left: number | null; tail: string; firstAt: number } | null = null;
  let settle: { resolve: (firstAt: number) => void; reject: (error: Error) => void } | null = null;
  const onBody = (body: Buffer) => {
    if (state === null || body.length === 0) return;
    if (state.firstAt === 0) state.firstAt = performance.now();
    let done: boolean;
    if (state.left === null) {
      state.tail = (state.tail + body.toString('latin1', Math.max(0, body.length - 7))).slice(-7);
      done = state.tail === chunkedEnd;
    } else {
      state.left -= body.length;
      done = state.left <= 0;
    }
    if (!done) return;
    const { firstAt } = state;
    state = null;
    head = '';
    settle?.resolve(firstAt);
  };
  socket.on('data', (chunk: Buffer) => {
    if (state !== null) {
      onBody(chunk);
      return;
    }
    const at = chunk.indexOf('\r\n\r\n');
    head += chunk.toString('latin1', 0, at < 0 ? chunk.length : at);
    if (at < 0) return;
    if (!head.startsWith('HTTP/1.1 200')) {
      settle?.reject(new Error(head + chunk.toString('latin1', at)));
      return;
    }
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    state = { left: length === undefined ? null : Number(length), tail: '', firstAt: 0 };
    onBody(chunk.subarray(at + 4));
  });
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('closed before the answer was whole')));
  return () =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
}
