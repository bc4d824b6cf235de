import { once } from 'node:events';
import type { ServerProcess } from './server-process.ts';

/** What `spawnServer` needs in the environment for `openLiveMemory`: an inspector on a free port. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

type Call = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>;

export interface LiveMemory extends AsyncDisposable {
  /** What is reachable in all threads once what is not has been collected: objects and buffers. Unit: MiB. */
  measure(): Promise<number>;
}

/**
 * Reads the memory of a server through its inspector. What a process occupies says little of what it keeps: it depends on
 * when garbage was collected, and grows by tens of MiB without a leak.
 */
export async function openLiveMemory(server: ServerProcess): Promise<LiveMemory> {
  await server.said('Debugger listening on ');
  const socket = new WebSocket(/ws:\S+/.exec(server.stderr())?.[0] ?? '');
  await once(socket, 'open');
  const main = openSession((text) => {
    socket.send(text);
  });
  const threads = new Map<string, ReturnType<typeof openSession>>();
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const reply = JSON.parse(data) as Reply;
    const sessionId = String(reply.params?.['sessionId']);
    if (reply.method === 'NodeWorker.attachedToWorker')
      threads.set(
        sessionId,
        openSession((message) => void main.call('NodeWorker.sendMessageToWorker', { sessionId, message })),
      );
    else if (reply.method === 'NodeWorker.detachedFromWorker') threads.delete(sessionId);
    else if (reply.method === 'NodeWorker.receivedMessageFromWorker')
      threads.get(sessionId)?.take(JSON.parse(String(reply.params?.['message'])) as Reply);
    else main.take(reply);
  });
  await main.call('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async measure() {
      let bytes = 0;
      for (const { call } of [main, ...threads.values()]) {
        await call('HeapProfiler.collectGarbage');
        const { usedSize, backingStorageSize } = await call('Runtime.getHeapUsage');
        bytes += Number(usedSize) + Number(backingStorageSize);
      }
      return bytes / 1_048_576;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function openSession(send: (text: string) => void): { readonly call: Call; take(reply: Reply): void } {
  const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  let last = 0;
  return {
    call(method, params = {}) {
      const id = ++last;
      const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
      waiting.set(id, resolve);
      send(JSON.stringify({ id, method, params }));
      return promise;
    },
    take({ id, result }) {
      if (id === undefined) return;
      waiting.get(id)?.(result ?? {});
      waiting.delete(id);
    },
  };
}
