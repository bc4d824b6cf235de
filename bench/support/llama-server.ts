import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** llama-server on the same file, with one slot and as many threads: asked for the token after each prompt. */
export interface LlamaServer {
  /** Tokens that it says to have evaluated. */
  decide(prompts: readonly (readonly number[])[]): Promise<number>;
  /** Used by its process since it began. Unit: seconds. */
  cpuSeconds(): Promise<number>;
  close(): Promise<void>;
}

/** `program` takes the options of llama-server. */
export async function openLlamaServer(program: string, path: string, threads: number): Promise<LlamaServer> {
  const port = await freePort();
  const used = ['-t', '-tb'].flatMap((option) => [option, String(threads)]);
  const place = ['--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(program, ['-m', path, ...used, '-c', '4096', '-np', '1', ...place], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`${program} ended`);
    await sleep(100);
  }
  return {
    async decide(prompts) {
      let evaluated = 0;
      for (const prompt of prompts) {
        const body = JSON.stringify({ prompt, n_predict: 1, n_probs: 2, cache_prompt: true, temperature: 0 });
        const reply = await fetch(`${url}/completion`, { method: 'POST', body });
        const { timings } = (await reply.json()) as { timings: { prompt_n: number } };
        evaluated += timings.prompt_n;
      }
      return evaluated;
    },
    async cpuSeconds() {
      // Linux: behind the name in brackets the 12th and 13th field are the ticks in user and system mode.
      const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    async close() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

const ticksPerSecond = 100;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
