import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that is not ours, in a process of its own. */
export interface Program {
  readonly url: string;
  readonly pid: number;
  /** Used by its process since it began, in steps of 10 ms. Unit: ms. */
  cpuMs(): Promise<number>;
  close(): Promise<void>;
}

interface Start {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers with success when the server is ready. */
  readonly healthPath: string;
}

/** Starts it on a free port of loopback. Throws when it ends before it is ready. */
export async function startProgram({ command, args, env = {}, healthPath }: Start): Promise<Program> {
  const port = await freePort();
  const child = spawn(command, args(port), { stdio: 'ignore', env: { ...process.env, ...env } });
  let problem: Error | null = null;
  child.once('error', (error) => (problem = error));
  const url = `http://127.0.0.1:${port}`;
  while (!(await isUp(url + healthPath))) {
    if (problem !== null) throw problem;
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
    await sleep(100);
  }
  const { pid = 0 } = child;
  return {
    url,
    pid,
    async cpuMs() {
      // Linux: behind the name in brackets the 12th and 13th field are the ticks in user and system mode.
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
    },
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const ticksPerSecond = 100;

function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
