import { parse as parseYaml } from 'yaml';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor config: the configuration in force, from nestor.yaml and the environment, secrets hidden

  nestor config                              every key as YAML, with defaults filled in
  nestor config --json                       the same as JSON
  nestor config --config nestor.yaml > /dev/null   is this file right? Exit code 2 and one line if not; else a line
                                             for everything that has no effect or should not stay so
  nestor config --schema > nestor.schema.json      the JSON Schema of the file, for editors

  --schema              print the JSON Schema of the file in place of the configuration
  --json                print one JSON value in place of YAML; the schema is always JSON
  --config FILE         configuration to read in place of NESTOR_CONFIG

What it prints can be kept as nestor.yaml, once the secrets are filled in again. A key such as search.cache_s is also
read from NESTOR_SEARCH_CACHE_S, which wins over the file.

Exit codes: 0 done, 2 wrong command or configuration.
See docs/guide/configuration.md.`;

const options = {
  schema: { type: 'boolean', default: false },
  ...configOption,
} as const;

export const runConfig = defineCommand(
  { name: 'config', usage, options },
  async (line, context: Pick<CommandContext, 'load' | 'configuration' | 'out' | 'err' | 'signal'>) => {
    const { values, words } = line;
    takeWords(words, []);
    if (values.schema && values.config !== undefined)
      throw new UsageError('--schema is the same for every file; leave --config out.');
    context.out.write(
      `${values.schema ? toJson((await context.configuration()).jsonSchema()) : await describe(values, context)}\n`,
    );
    return exitCodes.done;
  },
);

async function describe(
  { json, config }: { readonly json: boolean; readonly config?: string | undefined },
  { load, configuration, err }: Pick<CommandContext, 'load' | 'configuration' | 'err'>,
): Promise<string> {
  const loaded = await load(config);
  // Beside the output, which can be kept as a file.
  for (const warning of loaded.warnings) err.write(`nestor: ${warning}\n`);
  const yaml = (await configuration()).describe(loaded);
  return json ? toJson(parseYaml(yaml)) : yaml.trimEnd();
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);
