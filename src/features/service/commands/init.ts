import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../../../kernel/kit/errors.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import { toConfigurationFile } from './init-file.ts';
import { askAnswers } from './init-questions.ts';

const usage = `nestor init: write a configuration by answering five questions

  nestor init                             ask, and write nestor.yaml into the data folder
  nestor init --yes                       ask nothing: what is here answers, on this machine only
  nestor init --yes --answers ollama --search http://127.0.0.1:8888
  nestor init --yes --answers openai --access key --out /etc/nestor.yaml

  --answers WHAT        built-in, a path of a .gguf file, ollama, lmstudio, llama-server, vllm, sglang, the address of a
                        server with OpenAI's interface, or a service: openai, anthropic, openrouter, mistral, …
  --listen HOST:PORT    127.0.0.1:8787 is this machine alone, 0.0.0.0:8787 every address of it
  --access WHO          one: you, with a key that the first start makes; key: with a key that you choose; accounts:
                        others too, each with keys and limits
  --search ENGINE       own: the own index alone; open: articles and people, no key; the address of a SearXNG; brave,
                        serper, tavily or exa, with a key
  --store STORE         sqlite: a file in the data folder; postgres
  --yes                 ask nothing, and take the usual answer for what no option gives
  --out FILE            write there; the default is nestor.yaml in the data folder
  --json                print {"file", "variables"} as one JSON value
  --config FILE         configuration to read in place of NESTOR_CONFIG

It looks for models on this machine, calls nobody else, and never writes over a file. Keys are not asked for: the file
names the variables of the environment that hold them. What it wrote is read as a start reads it before it says done.

Exit codes: 0 written, 1 there is a file, 2 wrong command or configuration, 130 interrupted.
See docs/guide/configuration.md.`;

const options = {
  answers: { type: 'string' },
  listen: { type: 'string' },
  access: { type: 'string' },
  search: { type: 'string' },
  store: { type: 'string' },
  yes: { type: 'boolean', default: false },
  out: { type: 'string' },
  ...configOption,
} as const;

/** `nestor init`. Resolves to the exit code: 1 where a file is there already. */
export const runInit = defineCommand({ name: 'init', usage, options }, async ({ values, words }, context) => {
  takeWords(words, []);
  const { cwd, usualFolder, out, err } = context;
  const file = values.out === undefined ? join(usualFolder, 'nestor.yaml') : resolve(cwd, values.out);
  if (existsSync(file)) return refuse(file, err);
  if (!values.yes && context.stdin.isTTY !== true)
    throw new UsageError('Nobody is here to be asked; --yes takes the usual answers.');
  const answers = await askAnswers(values, context);
  if (answers === null) return exitCodes.interrupted;
  const { text, variables } = toConfigurationFile(answers);
  if (!write(file, text)) return refuse(file, err);
  try {
    await check(file, variables, context);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  printResult(out, { file, variables }, toWords(file, variables, values.out !== undefined), values.json);
  return exitCodes.done;
});

function refuse(file: string, err: CommandContext['err']): number {
  err.write(`nestor: ${file} is there already and stays as it is; --out FILE writes elsewhere.\n`);
  return exitCodes.failed;
}

/** Whether it was written: a file that is there, since a moment ago even, stays. */
function write(file: string, text: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Reads the file as a start does, with a stand-in for every variable that the person has yet to set. */
async function check(
  file: string,
  variables: readonly string[],
  { cwd, configuration }: Pick<CommandContext, 'cwd' | 'configuration'>,
): Promise<void> {
  const env = Object.fromEntries(
    variables.map((name) => [
      name,
      name === 'NESTOR_DATABASE_URL' ? 'postgres://nestor@db/nestor' : `stand-in-of-${name.toLowerCase()}`,
    ]),
  );
  (await configuration()).load({ env, cwd, file });
}

const toWords = (file: string, variables: readonly string[], isElsewhere: boolean): string =>
  [
    `Written and read back: ${file}`,
    ...(variables.length === 0 ? [] : [`Set these before the start: ${variables.join(', ')}`]),
    `Next: nestor serve${isElsewhere ? ` --config ${file}` : ''}`,
  ].join('\n');
