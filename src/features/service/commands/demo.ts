import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { openClient } from '../../client/feature.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { defineCommand } from '../../../kernel/commands/run-command.ts';
import { fillDemo, stepsOf } from './demo-fill.ts';
import { openDemoFolder, type DemoFolder } from './demo-folder.ts';
import type { RunningServer } from './serve-greeting.ts';

const usage = `nestor demo: a scratch server with something to look at, and the console with the first steps

  nestor demo                             in a folder of its own, which is removed at the end
  nestor demo --data ./demo               in this folder, which stays; the same command goes on with it

It serves the handbook of an invented shop in the index, and ten questions with labelled messages as deciders. Three
steps of the console lead through a first decision, a first answer with its sources and a first evaluation. Engines and
requests are those of any server; your own server, its data and your configuration are not touched, and no other machine
is asked.

  --data FOLDER         a new folder, or that of an earlier demo
  --no-open             open no browser
  --json                print what it begins with as one line of JSON: url, console, root_key, admin_key, data

It serves at a free port of this machine until Ctrl-C ends it.

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 failed, 2 wrong command.
See docs/guide/getting-started.md.`;

const options = { data: { type: 'string' }, 'no-open': { type: 'boolean', default: false } } as const;

/** `nestor demo`. Resolves to the exit code when it was stopped. */
export const runDemo = defineCommand({ name: 'demo', usage, options }, async ({ values, words }, context) => {
  takeWords(words, []);
  const { cwd, out, signal } = context;
  const folder = openDemoFolder(values.data === undefined ? null : resolve(cwd, values.data));
  try {
    const server = await openServer(folder, context);
    try {
      if (!folder.isFilled) await fill(folder, server, context);
      const wire = {
        url: server.url,
        console: firstSteps(server),
        root_key: folder.keys.root,
        admin_key: folder.keys.admin,
        data: folder.path,
      };
      out.write(`${values.json ? JSON.stringify(wire) : toGreeting(folder, server)}\n`);
      if (out.isTTY === true && !values.json && !values['no-open']) openBrowser(firstSteps(server));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await server.close(signal.reason);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (folder.isScratch) folder.remove();
  }
  return exitCodes.done;
});

/** What the person configured is for another server: this one has its folder, a free port and what ships. */
async function openServer({ path, keys }: DemoFolder, context: CommandContext): Promise<RunningServer> {
  const env = {
    NESTOR_DATA: path,
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: keys.root,
    NESTOR_ADMIN_KEY: keys.admin,
    NESTOR_DETECT: 'false',
    NESTOR_DECISIONS_ENGINE: 'encoder',
    NESTOR_LOG_LEVEL: 'warn',
  };
  const configuration = await context.configuration();
  return context.openServer(configuration.load({ env, cwd: context.cwd }));
}

async function fill(folder: DemoFolder, { url }: RunningServer, context: CommandContext): Promise<void> {
  const { err, clock, signal } = context;
  const client = openClient({ url: () => url, key: folder.keys.root, connectionsMax: 1 });
  const progress = createProgress(err, stepsOf(folder), clock);
  try {
    await fillDemo(folder, {
      api: client,
      adminApi: client.withKey(folder.keys.admin),
      signal,
      onStep: (done) => progress.update(done, 0),
    });
    folder.setFilled();
  } finally {
    progress.finish();
    await client.close();
  }
}

const firstSteps = ({ url }: RunningServer): string => `${url}/console/first-steps`;

function toGreeting({ path, isScratch, keys, decisions, sets }: DemoFolder, server: RunningServer): string {
  return [
    `A demo of Nestor serves at ${server.url}`,
    `First steps: ${firstSteps(server)}`,
    `Key: ${keys.root}`,
    `Administration key, for the index: ${keys.admin}`,
    `In it: a handbook in the index, ${sets.length} deciders with labelled messages, the same as files in ${decisions}`,
    isScratch
      ? `Ctrl-C ends it and removes ${path}; --data FOLDER keeps one.`
      : `Ctrl-C ends it. It stays in ${path}: removing that folder removes all of it.`,
  ].join('\n');
}

/** Where there is no browser nothing happens: the address is printed as well. */
function openBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['explorer', [url]]
        : ['xdg-open', [url]];
  const opened = spawn(command, args, { stdio: 'ignore', detached: true });
  opened.on('error', () => undefined);
  opened.unref();
}
