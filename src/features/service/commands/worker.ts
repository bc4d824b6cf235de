import { once } from 'node:events';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { configOption, runCommand } from '../../../kernel/commands/run-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor worker: run asynchronous chat completions, without serving

Several processes may work on one store, beside servers, which work as well. The store has to be PostgreSQL: an embedded
one belongs to one process. Everything else is read from the same configuration as that of the servers.

  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor worker
  NESTOR_ASYNC_WORKERS=16 nestor worker --config /etc/nestor.yaml

  --json                print what it begins with as one line of JSON
  --config FILE         configuration to read in place of NESTOR_CONFIG

It runs until it is interrupted; jobs under way are then given back, and another process begins them again.

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 failed, 2 wrong command or configuration.
See docs/guide/jobs.md.`;

/** `nestor worker`. Resolves to the exit code when it is interrupted. */
export function runWorker(argv: readonly string[], context: CommandContext): Promise<number> {
  return runCommand(
    { name: 'worker', usage, options: configOption },
    argv,
    context,
    async ({ values, words }) => {
      takeWords(words, []);
      const { signal } = context;
      const config = context.load(values.config);
      if (!/^postgres(?:ql)?:/.test(config.database))
        throw new Error(
          'database: workers of their own need PostgreSQL, for example postgres://nestor@db/nestor',
        );
      const worker = await context.openWorker(config);
      const { workers } = config.async;
      context.out.write(
        values.json
          ? `${JSON.stringify({ workers })}\n`
          : `Working on jobs, ${workers} at a time. Ctrl-C stops.\n`,
      );
      if (!signal.aborted) await once(signal, 'abort');
      await worker.close();
      return exitCodes.done;
    },
  );
}
