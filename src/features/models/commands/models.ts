import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import { listModels } from './models-list.ts';
import { importFiles, listFiles, removeFiles } from './models-installed.ts';
import { listKnown, pullByName } from './models-pull.ts';
import { testModels } from './models-test.ts';
import type { ModelsContext } from '../open-server-models.ts';

const usage = `nestor models: the models that a server on this configuration can ask, and those in its data folder

  nestor models list                      every model, what it costs and whether it can be reached; then the files
  nestor models list --files              what lies in the data folder: what it is and which key uses it
  nestor models test [MODEL…]             one short call to each, with the time it took
  nestor models test NAME…                open models of the data folder: time, memory and what they answer
  nestor models list --known              models that are known to work, with their sizes and licences
  nestor models pull NAME                 download one of them into the data folder
  nestor models pull OWNER/REPO/FILE.gguf  download any GGUF file of the Hub, or a model by its .onnx file
  nestor models import FILE|FOLDER        copy a GGUF file or a model in ONNX form there, if it can be opened
  nestor models rm NAME                   remove a model from there

  nestor models test openai/gpt-5.5 svc/svc
  nestor models pull minilm
  nestor models pull Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf
  nestor models import ~/Downloads/all-MiniLM-L6-v2 --name minilm

  --files               with list: only the data folder
  --known               with list: only models that can be pulled by name
  --accept-licence      with pull: accept the conditions that a licence puts
  --all                 with test: call all models, also where there are many
  --name NAME           with import: another name than that of the source
  --link                with import: hard links in place of copies; the source must not change afterwards
  --yes                 with rm: do not ask
  --force               with rm: also what a key of the configuration names
  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

Pulled files are kept in the folder \`models\` of the data folder, where a server without providers finds them. A pull
that was broken off continues where it stopped. HF_ENDPOINT names another host than huggingface.co, HF_TOKEN a token for
private and gated repositories, HTTPS_PROXY a proxy.

Exit codes: 0 done, 1 failed (test: a model did not answer), 2 wrong command or configuration, 130 interrupted.
See docs/guide/models.md.`;

const options = {
  ...configOption,
  name: { type: 'string' },
  ...flags('all', 'files', 'known', 'link', 'yes', 'force', 'accept-licence'),
} as const;

function flags<const Name extends string>(...names: readonly Name[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean', default: false }]));
  return options as Readonly<Record<Name, { readonly type: 'boolean'; readonly default: false }>>;
}

/** Which verb each option belongs to; the others belong to all. */
const owners = {
  all: 'test',
  files: 'list',
  known: 'list',
  'accept-licence': 'pull',
  name: 'import',
  link: 'import',
  yes: 'rm',
  force: 'rm',
} as const;

const verbs = ['list', 'test', 'pull', 'import', 'rm'] as const;

export const runModels = defineCommand(
  { name: 'models', usage, options, verbs },
  async ({ values, words }, context: ModelsContext) => {
    const [verb, rest] = takeVerb(words, verbs, 'list');
    const given: Readonly<Record<string, unknown>> = values;
    for (const [name, owner] of Object.entries(owners))
      if (verb !== owner && (given[name] ?? false) !== false)
        throw new UsageError(`--${name} belongs to ${owner}.`);
    if (verb === 'test') {
      return testModels(await context.load(values.config), { names: rest, ...values }, context);
    }
    const [word = ''] = takeWords(rest, wordsOf[verb]);
    if (values.known) return listKnown(values.json, context);
    const config = await context.load(values.config);
    switch (verb) {
      case 'pull':
        return pullByName(config, word, values, context);
      case 'import':
        return importFiles(config, word, values, context);
      case 'rm':
        return removeFiles(config, word, values, context);
      case 'list':
        return values.files
          ? listFiles(config, values.json, context)
          : listModels(config, values.json, context);
    }
  },
);

const wordsOf = {
  list: [],
  pull: ['NAME or OWNER/REPO/FILE.gguf'],
  import: ['FILE or FOLDER'],
  rm: ['NAME'],
} as const;
