import { fork } from 'node:child_process';
import { once } from 'node:events';
import { watchLoop, type LoopBlocks } from './loop-watch.ts';

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
  /** How its event loop was held since the last call, which begins with the first one. */
  loop(): Promise<LoopBlocks>;
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
  const ask = async <Reply>(question: 'usage' | 'loop'): Promise<Reply> => {
    child.send(question);
    const [reply] = (await once(child, 'message')) as [Reply];
    return reply;
  };
  return {
    url,
    pid: child.pid ?? 0,
    readyMs,
    usage: () => ask<Usage>('usage'),
    loop: () => ask<LoopBlocks>('loop'),
    async stop() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

/** The other end of `startChild`. */
export function serveBench(url: string, close: () => Promise<unknown>): void {
  let watch: { close(): LoopBlocks } | null = null;
  process.on('message', (message) => {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage();
      const usage: Usage = {
        cpuMs: (user + system) / 1_000,
        residentMb: process.memoryUsage.rss() / 1_048_576,
      };
      process.send?.(usage);
    } else if (message === 'loop') {
      const blocks = watch?.close() ?? { maxMs: 0, p999Ms: 0, ownMaxMs: 0 };
      watch = watchLoop();
      process.send?.(blocks);
    } else if (message === 'stop') {
      void close().then(() => process.exit(0));
    }
  });
  // A bench that broke off leaves nothing running.
  process.once('disconnect', () => process.exit(1));
  process.send?.(url);
}
