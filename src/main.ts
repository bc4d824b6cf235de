import { flushCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { ConfigError, configJsonSchema, describeConfig, loadConfig, type Config } from './config.ts';
import { commands, type Command, type CommandParts } from './commands/index.ts';
import { systemClock } from './kit/clock.ts';
import { openLog } from './kit/log.ts';
import { openIndexTools } from './server/corpus.ts';
import { openBareDecisions } from './server/decisions.ts';
import { doctorTools } from './server/doctor-tools.ts';
import { openModelTools } from './server/model-tools.ts';
import { openStoreTools } from './server/store-tools.ts';
import { openWorker } from './server/worker.ts';
import { openServer, version } from './server.ts';

/** Column at which `nestor --help` tells what a command does. */
const summaryColumn = 27;

const usage = `Nestor ${version}: decisions, grounded answers and model routing on your own machine

  nestor serve               serve (the default)
  nestor config              print the configuration in force, secrets hidden
  nestor config --schema     print its JSON Schema, for editors
${commands.map(({ name, summary }) => `  nestor ${name}`.padEnd(summaryColumn + 2) + summary).join('\n')}
  nestor --version           print the version

nestor COMMAND --help tells the options of one and gives examples.

Options: --config FILE reads this configuration file in place of NESTOR_CONFIG.
Environment: NESTOR_PORT, NESTOR_DATA, NESTOR_ROOT_KEY, … see docs/guide/configuration.md.
Commands that call a server read its address from NESTOR_URL and your key from NESTOR_KEY.
Exit codes: 0 done, 1 failed, 2 wrong command or configuration.`;

/** A message for the person at the terminal; the exit code says whose turn it is. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

async function main(argv: readonly string[]): Promise<void> {
  const [first, ...rest] = argv;
  const known = commands.find(({ name }) => name === first);
  if (known !== undefined) {
    process.exitCode = await runCommand(known, rest);
    return;
  }
  const { values, command } = parseCommand(argv);
  if (values.help) return print(usage);
  if (values.version) return print(version);
  switch (command) {
    case 'serve':
      return serve(load(values.config));
    case 'config':
      return print(
        values.schema ? JSON.stringify(configJsonSchema(), null, 2) : describeConfig(load(values.config)),
      );
    default:
      throw new Exit(2, `Unknown command "${command}". Try: nestor --help`);
  }
}

function parseCommand(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
        schema: { type: 'boolean', default: false },
        config: { type: 'string' },
      },
    });
    const [command = 'serve', extra] = positionals;
    if (extra !== undefined) throw new Exit(2, `Unexpected argument "${extra}". Try: nestor --help`);
    return { values, command };
  } catch (error) {
    if (error instanceof Exit) throw error;
    throw new Exit(2, `${error instanceof Error ? error.message : String(error)} Try: nestor --help`);
  }
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  // `nestor ask … | head -1`: whoever reads has gone, and there is nobody left to tell.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const run = await command.load();
  return run(argv, commandParts());
}

function commandParts(): CommandParts {
  let signal: AbortSignal | undefined;
  return {
    cwd: process.cwd(),
    api: {
      url: process.env['NESTOR_URL'],
      key: process.env['NESTOR_KEY'] || process.env['NESTOR_ROOT_KEY'],
    },
    // As no-color.org has it: set, and not empty.
    isPlain: Boolean(process.env['NO_COLOR']),
    version,
    doctor: doctorTools,
    load,
    open: openBareDecisions,
    openStore: openStoreTools,
    openModels: openModelTools,
    openIndex: openIndexTools,
    openWorker: async (config) => openWorker(version, config, await openLog(config.log)),
    hub: {
      endpoint: process.env['HF_ENDPOINT'],
      token: process.env['HF_TOKEN'],
      proxy: process.env['HTTPS_PROXY'] ?? process.env['https_proxy'],
    },
    out: process.stdout,
    err: process.stderr,
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    /** Only whoever looks at it takes Ctrl-C over; others are ended by it. */
    get signal() {
      return (signal ??= stopOnInterrupt());
    },
  };
}

function stopOnInterrupt(): AbortSignal {
  const stopping = new AbortController();
  // A second Ctrl-C finds no handler and ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

function load(file: string | undefined): Config {
  try {
    // These two are for commands that call a server; a server is not configured by them.
    const { NESTOR_URL: _url, NESTOR_KEY: _key, ...env } = process.env;
    return loadConfig({ env, cwd: process.cwd(), file });
  } catch (error) {
    throw error instanceof ConfigError ? new Exit(2, error.message) : error;
  }
}

async function serve(config: Config): Promise<void> {
  const log = await openLog(config.log);
  const server = await openServer(config, { log });
  const url = await server.listen();
  print(greeting(config, url, server.engineName, server.newRootKey));
  // Written now rather than at the end, so that a server that is killed has still prepared the next start.
  flushCompileCache();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      // A second signal finds no handler and ends the process at once.
      server.close().then(
        () => process.exit(0),
        (error: unknown) => {
          log.fatal({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
    });
  }
}

function greeting(config: Config, url: string, engine: string, newRootKey: string | null): string {
  const model = config.decisions.served[0] ?? '';
  const request = {
    model,
    state: 'I want my money back',
    questions: { refund: { type: 'noul', instructions: 'Is the customer asking for a refund?' } },
  };
  const variable = process.env['NESTOR_ROOT_KEY'] ? '$NESTOR_ROOT_KEY' : '$YOUR_ROOT_KEY';
  const key = newRootKey ?? variable;
  const lines = [
    `Nestor ${version} serves at ${url}`,
    `Decisions are answered by the engine "${engine}"${engine === 'baseline' ? ', which needs no model and is honest but simple' : ''}.`,
    newRootKey === null
      ? `Root key: the one you know (${variable} in the line below stands for it).`
      : `Root key: ${newRootKey}  (shown only now; only its hash is stored in ${config.dataFolder})`,
    'Try:',
    `curl -s ${url}/v1/decisions -H "Authorization: Bearer ${key}" -d '${JSON.stringify(request)}'`,
  ];
  return lines.join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`nestor: ${message}\n`);
  process.exitCode = error instanceof Exit ? error.code : 1;
});
