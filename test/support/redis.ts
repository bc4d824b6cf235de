/**
 * A throwaway Redis (or Valkey): made by the test file that needs it, gone afterwards. Nothing of the machine's own
 * server is touched; only its program is used.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';

export interface TestRedis {
  readonly port: number;
  /** An empty database of its own; 16 there are. */
  createDatabase(): string;
  /** Ends the server; SIGSTOP only freezes it, and SIGCONT lets it go on. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Why tests with Redis cannot run here; false when they can, or when NESTOR_TEST_ALL=1 forbids to skip. */
export function redisSkipReason(): string | false {
  if (process.env['NESTOR_TEST_ALL'] === '1' || findBinary() !== null) return false;
  return 'no Redis: neither redis-server nor valkey-server on the PATH';
}

export async function startRedis(): Promise<TestRedis> {
  const binary = findBinary();
  if (binary === null) throw new Error('no Redis: neither redis-server nor valkey-server on the PATH');
  const folder = mkdtempSync(join(tmpdir(), 'nestor-redis-'));
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const args = [...options, '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  let child: ChildProcess | null = null;
  let guard: ChildProcess | null = null;
  let databases = 0;

  async function start(): Promise<void> {
    child = spawn(binary ?? '', args, { cwd: folder, stdio: 'ignore' });
    guard = spawnGuard(child);
    await untilReady(port, child);
  }

  async function signal(name: NodeJS.Signals): Promise<void> {
    const running = child;
    if (running === null) return;
    const exited = once(running, 'exit');
    running.kill(name);
    if (name !== 'SIGKILL') return;
    child = null;
    await exited;
    guard?.stdin?.end();
  }

  await start();
  return {
    port,
    createDatabase: () => `redis://127.0.0.1:${port}/${databases++}`,
    signal,
    start,
    async close() {
      await signal('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the server when this process is killed and can no longer do it. */
function spawnGuard(server: ChildProcess): ChildProcess {
  const script = 'cat > /dev/null; kill -KILL "$0" 2> /dev/null';
  const guard = spawn('sh', ['-c', script, String(server.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  return guard;
}

function findBinary(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = folders.flatMap((folder) => [
    join(folder, 'redis-server'),
    join(folder, 'valkey-server'),
  ]);
  return candidates.find((path) => isExecutable(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  const endAt = performance.now() + 120_000;
  for (;;) {
    const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {});
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`redis ended with ${child.exitCode}`, { cause: error });
      if (performance.now() > endAt) throw error;
      await pause(20);
    } finally {
      redis.disconnect();
    }
  }
}
