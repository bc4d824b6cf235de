import { once } from 'node:events';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { toGreeting, toGreetingFacts } from './serve-greeting.ts';
import { configOption, runCommand } from '../../../kernel/commands/run-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor serve: serve the API and the console; also what \`nestor\` alone does

Everything is read from the configuration: nestor.yaml in the data folder, or variables of the environment, which win.
Nothing has to be set. The first start makes a root key and shows it once.

  nestor serve
  NESTOR_PORT=8799 NESTOR_DATA=/var/lib/nestor nestor serve
  NESTOR_ROOT_KEY=a-key-that-you-chose nestor serve --config /etc/nestor.yaml

  --json                print what it begins with as one line of JSON: url, root_key, what answers
  --config FILE         configuration to read in place of NESTOR_CONFIG

  NESTOR_PORT          port (default 8787); 0 takes any free one
  NESTOR_HOST          address (default 127.0.0.1, which only this machine reaches)
  NESTOR_DATA          folder of the store and of the index (default ./data)
  NESTOR_ROOT_KEY      a key that you choose, 16 to 256 characters; it is not stored

\`nestor config\` prints every key, \`nestor doctor\` says what works. The log goes to standard error.

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 failed, 2 wrong command or configuration.
See docs/guide/getting-started.md and docs/guide/configuration.md.`;

/** `nestor serve`. Resolves to the exit code when it was stopped. */
export function runServe(argv: readonly string[], context: CommandContext): Promise<number> {
  return runCommand(
    { name: 'serve', usage, options: configOption },
    argv,
    context,
    async ({ values, words }) => {
      takeWords(words, []);
      const config = context.load(values.config);
      const server = await context.openServer(config);
      const { signal } = context;
      const facts = toGreetingFacts(server, config, context);
      context.out.write(`${values.json ? JSON.stringify(facts.wire) : toGreeting(facts)}\n`);
      if (!signal.aborted) await once(signal, 'abort');
      await server.close(signal.reason);
      return exitCodes.done;
    },
  );
}
