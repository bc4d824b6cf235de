import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { errorMessage } from './kernel/kit/errors.ts';
import { toHelp, toUnknownCommand } from './kernel/commands/help.ts';
import type { Command, CommandContext } from './kernel/commands/command.ts';
import type { RunningServer } from './features/service/feature.ts';
import type { Config } from './kernel/config.ts';
import { systemClock } from './kernel/kit/clock.ts';
import { commands, greet } from './commands.ts';
import { version } from './kernel/settings.ts';

/** Resolves to the exit code. */
async function main([first = '', ...rest]: readonly string[]): Promise<number> {
  if (first === '--version' || first === '-v') return print(version);
  const asksForHelp = first === '--help' || first === '-h' || first === 'help';
  const [about] = rest;
  // `nestor help ask` is about one command; `nestor --help --json` and `nestor help help` about all.
  const isAboutAll = about === undefined || about === 'help' || about.startsWith('-');
  if (asksForHelp) return isAboutAll ? print(toHelp(version, commands)) : main([about, '--help']);
  const known = commands.find(({ name }) => name === first);
  if (known !== undefined) return runCommand(known, rest);
  if (first === '') return greetPerson();
  // Options without a command are those of serve.
  if (first.startsWith('-')) return main(['serve', first, ...rest]);
  process.stderr.write(
    `nestor: ${toUnknownCommand(
      first,
      commands.map((command) => command.name),
    )}\n`,
  );
  return 2;
}

function print(text: string): number {
  endWithReader();
  process.stdout.write(`${text}\n`);
  return 0;
}

async function greetPerson(): Promise<number> {
  endWithReader();
  return greet(commandContext());
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  const run = await command.load();
  const isService = command.isService === true;
  if (!isService) endWithReader();
  const context = commandContext();
  const code = await run(argv, context).catch(reportFailure);
  // A stopped service does not wait for what is still open.
  if (isService && context.signal.aborted) process.exit(code);
  return code;
}

/** Reports an unexpected error in one line. Returns the exit code. */
function reportFailure(error: unknown): number {
  const message = errorMessage(error);
  process.stderr.write(`nestor: ${message.replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}\n`);
  return 1;
}

function commandContext(): CommandContext {
  let signal: AbortSignal | undefined;
  return {
    cwd: process.cwd(),
    api: {
      url: process.env['NESTOR_URL'],
      key: process.env['NESTOR_KEY'] || process.env['NESTOR_ROOT_KEY'],
    },
    usualFolder: resolve(process.env['NESTOR_DATA'] || './data'),
    // See no-color.org.
    isPlain: Boolean(process.env['NO_COLOR']),
    version,
    commands,
    load,
    configuration: async () => (await configurations()).configuration,
    doctor: async () => (await import('./features/service/doctor-tools.ts')).doctorTools,
    open: async (request) => (await decisions()).openBareDecisions(request),
    findAdapter: async (model) => (await decisions()).findAdapter(model),
    openStore: async (...opening) =>
      (await import('./features/service/store-tools.ts')).openStoreTools(...opening),
    openBackups: async (config) => (await import('./features/service/backup-tools.ts')).openBackups(config),
    openModels: async (config) => (await import('./features/models/feature.ts')).openModelTools(config),
    findModels: async (config, stop) => {
      const { findModels, knownLocalServers } = await import('./features/models/feature.ts');
      return findModels(config, knownLocalServers, stop);
    },
    openIndex: async (config) => (await import('./features/index/feature.ts')).openIndexTools(config),
    openServer: openListening,
    hasRootKeyVariable: Boolean(process.env['NESTOR_ROOT_KEY']),
    openWorker,
    hub: hubVariables(),
    out: process.stdout,
    err: process.stderr,
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    /** Created on demand: only commands that use it take over Ctrl-C. */
    get signal() {
      return (signal ??= stopOnInterrupt());
    },
  };
}

// Loaded with the first use, so that a command loads only what it needs.
const server = () => import('./server.ts');
const configurations = () => import('./configuration.ts');
const decisions = () => import('./features/decisions/feature.ts');
const openLog = async ({ log }: Config) => (await import('./kernel/kit/log.ts')).openLog(log);

const hubVariables = () => ({
  endpoint: process.env['HF_ENDPOINT'],
  token: process.env['HF_TOKEN'],
  proxy: process.env['HTTPS_PROXY'] ?? process.env['https_proxy'],
});

/** Aborts at the first signal, with its name as the reason. */
function stopOnInterrupt(): AbortSignal {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    stopping.abort(signal);
    // A second signal finds no handler and ends the process.
    for (const name of stopSignals) if (name !== signal) process.off(name, stop);
    setTimeout(() => process.off(signal, stop), sameSignalMs).unref();
  };
  for (const name of stopSignals) process.on(name, stop);
  return stopping.signal;
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const;
/**
 * A terminal and a supervisor signal the whole group, and so whoever started this process passes on what arrived here
 * already: bin/nestor.mjs on an older Node, npm, a script.
 */
const sameSignalMs = 500;

async function load(file: string | undefined): Promise<Config> {
  // For commands that call a server; they do not configure one.
  const { NESTOR_URL: _url, NESTOR_KEY: _key, ...env } = process.env;
  return (await configurations()).configuration.load({ env, cwd: process.cwd(), file });
}

async function openWorker(config: Config): Promise<{ close(): Promise<void> }> {
  const { openServices } = await server();
  const opened = await openServices(['jobs', 'batchWorker'], config, { log: await openLog(config) });
  opened.batchWorker.begin();
  return opened;
}

async function openListening(config: Config): Promise<RunningServer> {
  const log = await openLog(config);
  const { openServer } = await server();
  const opened = await openServer(config, {
    log,
    hub: hubVariables(),
    onStoreLost(reason) {
      log.fatal({ err: reason }, 'the store is lost');
      reportFailure(`the store cannot be opened again (${reason.message}); see docs/guide/operations.md`);
      // Acknowledged writes are on disk; a supervisor restarts the process.
      process.exit(1);
    },
  });
  const url = await opened.listen().catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  const { announceServer } = await import('./kernel/commands/running-server.ts');
  const leave = announceServer(config.dataFolder, url);
  // Written now, so that even a killed server prepares the next start.
  flushCompileCache();
  const { newRootKey, decisions, models, sandbox } = opened.services;
  return {
    url,
    metricsUrl: opened.metricsUrl,
    newRootKey,
    engineName: decisions.name,
    models: models.list().map(({ id }) => id),
    sandboxRunner: sandbox.current()?.name ?? null,
    async close(signal) {
      log.info({ signal }, 'stopping');
      leave();
      // Ctrl-C needs no drain: no proxy has to notice.
      await opened.close({ drains: signal === 'SIGTERM' }).catch((error: unknown) => {
        log.fatal({ err: error }, 'stopping failed');
        throw error;
      });
    },
  };
}

/** Ends when the reader of the output has gone, as in `nestor ask … | head -1`. */
function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
}

async function start(): Promise<void> {
  // Without a listener, unread output would end a server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.exitCode = await main(process.argv.slice(2)).catch(reportFailure);
}

void start();
