import { parseArgs } from 'node:util';
import { exitCodes, withExitCode } from './eval-exit.ts';
import { UsageError } from './eval-parts.ts';
import { listModels } from './models-list.ts';
import type { ModelsParts } from './models-parts.ts';
import { pullModel } from './models-pull.ts';
import { testModels } from './models-test.ts';

const usage = `nestor models: the models that a server on this configuration can ask

  nestor models list                      every model, what it costs and whether it can be reached
  nestor models test [MODEL…]             one short call to each, with the time it took
  nestor models pull OWNER/REPO/FILE.gguf  download a model file into the data folder

  nestor models test openai/gpt-5.5 svc/svc
  nestor models pull Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf

  --all                 with test: call all models, also where there are many
  --json                with list and test: print JSON in place of tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

Pulled files are kept in the folder \`models\` of the data folder, where a server without providers finds them. A pull that
was broken off continues where it stopped. HF_ENDPOINT names another host than huggingface.co, HF_TOKEN a token for
private and gated repositories, HTTPS_PROXY a proxy.

Exit codes: 0 done, 1 failed (test: a model did not answer), 2 wrong command or configuration, 130 interrupted.`;

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
} as const;

/** `nestor models`. Resolves to the exit code. */
export function runModels(argv: readonly string[], parts: ModelsParts): Promise<number> {
  return withExitCode('models', parts, async () => {
    const { values, positionals } = parseGiven(argv);
    if (values.help) {
      parts.out.write(`${usage}\n`);
      return exitCodes.done;
    }
    const [verb = 'list', ...words] = positionals;
    if (values.all && verb !== 'test') throw new UsageError('--all belongs to test.');
    switch (verb) {
      case 'list':
        if (words.length > 0) throw new UsageError(`Unexpected argument "${words[0]}".`);
        return listModels(parts.load(values.config), values.json, parts);
      case 'test':
        return testModels(
          parts.load(values.config),
          { names: words, isAll: values.all, isJson: values.json },
          parts,
        );
      case 'pull': {
        const [reference, extra] = words;
        if (reference === undefined) throw new UsageError('OWNER/REPO/FILE.gguf is missing.');
        if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
        return pullModel(parts.load(values.config), reference, parts);
      }
      default:
        throw new UsageError(`Unknown verb "${verb}".`);
    }
  });
}

function parseGiven(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('. To specify');
    throw new UsageError(`${sentence}.`);
  }
}
