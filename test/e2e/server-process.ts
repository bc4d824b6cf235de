import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { putStore } from '../support/made-store.ts';
import { readIfThere, withoutWeights } from '../support/without-weights.ts';

export interface ServerProcess {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly pid: number;
  /** What it wrote so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves once it has written this to standard error. */
  said(text: string): Promise<void>;
  /** Resolves to its exit code when it ends by itself. */
  ended(): Promise<number | null>;
  /** Kills it with a signal and waits until it is gone. Resolves to its exit code, null after a signal. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));

/**
 * `nestor serve` as a process of its own, on a free port; `wrapper` is a command that runs it. Rejects when it ends
 * before it serves. A store that it would make is there, without the documentation.
 */
export async function spawnServer(
  dataFolder: string,
  env: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
): Promise<ServerProcess> {
  const file = readIfThere(env['NESTOR_CONFIG']) + readIfThere(join(dataFolder, 'nestor.yaml'));
  const light = withoutWeights(env, file);
  const isEmbedded = (env['NESTOR_DATABASE_URL'] ?? 'sqlite') === 'sqlite';
  if (isEmbedded && !existsSync(join(dataFolder, 'nestor.db'))) await putStore(dataFolder, 'without docs');
  const [first, ...words] = [...wrapper, process.execPath];
  const child = spawn(first ?? process.execPath, [...words, entry, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', NESTOR_PORT: '0', NESTOR_DATA: dataFolder, ...light, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const url = await readUrl(child, () => stdout).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${stderr.slice(-2_000)}`);
  });
  return {
    url,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    async said(text) {
      while (!stderr.includes(text)) await once(child.stderr, 'data');
    },
    ended: async () => ((await once(child, 'close')) as [number | null])[0],
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'close');
        child.kill(signal);
        await gone;
      }
      return child.exitCode;
    },
  };
}

function readUrl(child: ChildProcess, stdout: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)));
    child.stdout?.on('data', () => {
      const url = / serves at (\S+)\n/.exec(stdout())?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Memory that the process holds. Unit: MiB. Null where the system does not tell. */
export function residentMiB(pid: number): number | null {
  try {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Math.round(Number(kib) / 1_024);
  } catch {
    return null;
  }
}
