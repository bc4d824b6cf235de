import { once } from 'node:events';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { toGreeting, toGreetingFacts } from './serve-greeting.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import type { Config } from '../../../kernel/config.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const serveUsage = `nestor serve: serve the API and the console

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

const workerUsage = `nestor worker: run asynchronous chat completions and batches of decisions, without serving

Several processes may work on one store, beside servers, which work as well. The store has to be PostgreSQL: an embedded
one belongs to one process. Everything else is read from the same configuration as that of the servers.

  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor worker
  NESTOR_ASYNC_WORKERS=16 nestor worker --config /etc/nestor.yaml

  --json                print what it begins with as one line of JSON
  --config FILE         configuration to read in place of NESTOR_CONFIG

It runs until it is interrupted; what is under way is then given back, and another process begins it again.

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 failed, 2 wrong command or configuration.
See docs/guide/jobs.md and docs/guide/batches.md.`;

/** `nestor serve`. Resolves to the exit code when it was stopped. */
export const runServe = serviceCommand('serve', serveUsage, async (config, context) => {
  const server = await context.openServer(config);
  const facts = toGreetingFacts(server, config, context);
  return { wire: facts.wire, text: toGreeting(facts), close: (reason) => server.close(reason) };
});

/** `nestor worker`. Resolves to the exit code when it is interrupted. */
export const runWorker = serviceCommand('worker', workerUsage, async (config, context) => {
  if (!/^postgres(?:ql)?:/.test(config.database))
    throw new Error(
      'database: workers of their own need PostgreSQL, for example postgres://nestor@db/nestor',
    );
  const worker = await context.openWorker(config);
  const { workers } = config.async;
  const text = `Working on jobs, ${workers} at a time, and on batches of decisions. Ctrl-C stops.`;
  return { wire: { workers }, text, close: () => worker.close() };
});

interface Service {
  /** What it begins with, for a program and for a person. */
  readonly wire: object;
  readonly text: string;
  readonly close: (reason: unknown) => Promise<void>;
}

/** A command that runs until it is interrupted. */
function serviceCommand(
  name: string,
  usage: string,
  open: (config: Config, context: CommandContext) => Promise<Service>,
) {
  return defineCommand({ name, usage, options: configOption }, async ({ values, words }, context) => {
    takeWords(words, []);
    const { out, signal } = context;
    const { wire, text, close } = await open(await context.load(values.config), context);
    out.write(`${values.json ? JSON.stringify(wire) : text}\n`);
    if (!signal.aborted) await once(signal, 'abort');
    await close(signal.reason);
    return exitCodes.done;
  });
}
