import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { exitCodes, withExitCode } from './eval-exit.ts';
import { UsageError } from './eval-parts.ts';
import type { StoreParts } from './store-parts.ts';
import type { WorkerParts } from './worker-parts.ts';

const usage = `nestor worker: run asynchronous chat completions, without serving

Several processes may work on one store, beside servers, which work as well. The store has to be PostgreSQL: an embedded
one belongs to one process. Everything else is read from the same configuration as that of the servers.

  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor worker
  NESTOR_ASYNC_WORKERS=16 nestor worker --config /etc/nestor.yaml

  --config FILE         configuration to read in place of NESTOR_CONFIG

It runs until it is interrupted; jobs under way are then given back, and another process begins them again.

Exit codes: 0 stopped, 1 failed, 2 wrong command or configuration.`;

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  config: { type: 'string' },
} as const;

/** `nestor worker`. Resolves to the exit code when it is interrupted. */
export function runWorker(
  argv: readonly string[],
  parts: Pick<StoreParts, 'load' | 'out' | 'err' | 'signal'> & WorkerParts,
): Promise<number> {
  return withExitCode('worker', parts, async () => {
    const { values, positionals } = parseGiven(argv);
    if (values.help) {
      parts.out.write(`${usage}\n`);
      return exitCodes.done;
    }
    const [extra] = positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
    const { signal } = parts;
    const worker = await parts.openWorker(parts.load(values.config));
    parts.out.write(`Working on jobs, ${worker.workers} at a time. Ctrl-C stops.\n`);
    if (!signal.aborted) await once(signal, 'abort');
    await worker.close();
    return exitCodes.done;
  });
}

function parseGiven(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
