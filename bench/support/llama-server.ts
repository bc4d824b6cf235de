import { startProgram } from './program.ts';

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
  const used = ['-t', '-tb'].flatMap((option) => [option, String(threads)]);
  const args = (port: number) => {
    const place = ['--host', '127.0.0.1', '--port', String(port)];
    return ['-m', path, ...used, '-c', '4096', '-np', '1', ...place];
  };
  const server = await startProgram({ command: program, args, healthPath: '/health' });
  return {
    async decide(prompts) {
      let evaluated = 0;
      for (const prompt of prompts) {
        const body = JSON.stringify({ prompt, n_predict: 1, n_probs: 2, cache_prompt: true, temperature: 0 });
        const reply = await fetch(`${server.url}/completion`, { method: 'POST', body });
        const { timings } = (await reply.json()) as { timings: { prompt_n: number } };
        evaluated += timings.prompt_n;
      }
      return evaluated;
    },
    cpuSeconds: async () => (await server.cpuMs()) / 1_000,
    close: () => server.close(),
  };
}
