import { parseCommandLine, takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes, withExitCode, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { listModels } from './models-list.ts';
import { pullModel } from './models-pull.ts';
import { testModels } from './models-test.ts';
import type { ModelsContext } from '../open-server-models.ts';

const usage = `nestor models: the models that a server on this configuration can ask

  nestor models list                      every model, what it costs and whether it can be reached
  nestor models test [MODEL…]             one short call to each, with the time it took
  nestor models pull OWNER/REPO/FILE.gguf  download a model file into the data folder

  nestor models test openai/gpt-5.5 svc/svc
  nestor models pull Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf

  --all                 with test: call all models, also where there are many
  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

Pulled files are kept in the folder \`models\` of the data folder, where a server without providers finds them. A pull
that was broken off continues where it stopped. HF_ENDPOINT names another host than huggingface.co, HF_TOKEN a token for
private and gated repositories, HTTPS_PROXY a proxy.

Exit codes: 0 done, 1 failed (test: a model did not answer), 2 wrong command or configuration, 130 interrupted.
See docs/guide/models.md.`;

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
} as const;

export function runModels(argv: readonly string[], context: ModelsContext): Promise<number> {
  return withExitCode('models', context, async () => {
    const { values, words } = parseCommandLine(argv, options);
    if (values.help) {
      context.out.write(`${usage}\n`);
      return exitCodes.done;
    }
    const [verb, rest] = takeVerb(words, ['list', 'test', 'pull'], 'list');
    if (values.all && verb !== 'test') throw new UsageError('--all belongs to test.');
    if (verb === 'list') takeWords(rest, []);
    const [reference = ''] = verb === 'pull' ? takeWords(rest, ['OWNER/REPO/FILE.gguf']) : [];
    const config = context.load(values.config);
    if (verb === 'pull') return pullModel(config, reference, values.json, context);
    if (verb === 'list') return listModels(config, values.json, context);
    return testModels(config, { names: rest, ...values }, context);
  });
}
