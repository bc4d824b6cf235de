import { fork } from 'node:child_process';
import { once } from 'node:events';

/** CPU of the whole process, threads included, and resident memory. */
export interface Usage {
  readonly cpuMs: number;
  readonly residentMb: number;
}

export interface Child {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to the first moment at which it accepts. Unit: ms. */
  readonly readyMs: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Runs a module in a process of its own; it must call `serveBench` with its address. */
export async function startChild(module: URL, env: Readonly<Record<string, string>> = {}): Promise<Child> {
  const startedAt = performance.now();
  const child = fork(module, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const died = new AbortController();
  child.once('exit', (code) => died.abort(new Error(`the process ended with ${code}`)));
  const [url] = (await once(child, 'message', { signal: died.signal })) as [string];
  const readyMs = performance.now() - startedAt;
  return {
    url,
    pid: child.pid ?? 0,
    readyMs,
    async usage() {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [Usage];
      return usage;
    },
    async stop() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

/** The other end of `startChild`. */
export function serveBench(url: string, close: () => Promise<unknown>): void {
  process.on('message', (message) => {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage();
      const usage: Usage = {
        cpuMs: (user + system) / 1_000,
        residentMb: process.memoryUsage.rss() / 1_048_576,
      };
      process.send?.(usage);
    } else if (message === 'stop') {
      void close().then(() => process.exit(0));
    }
  });
  process.send?.(url);
}
