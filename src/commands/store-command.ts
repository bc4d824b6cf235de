import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { Page } from '../accounts/page.ts';
import { exitCodes, withExitCode } from './eval-exit.ts';
import { UsageError } from './eval-parts.ts';
import type { StoreParts, StoreTools } from './store-parts.ts';

const sharedOptions = {
  help: { type: 'boolean', short: 'h', default: false },
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

export const sharedUsage = `  --json                print JSON in place of tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

It opens the store of the configuration itself, whether or not a server is running on it. What it changes holds in
every server when it returns.

Exit codes: 0 done, 1 failed, 2 wrong command or configuration.`;

/** A command line that was understood. */
export interface Given<Values> {
  readonly values: Values;
  /** What stands after the options, the verb among it. */
  readonly words: readonly string[];
}

export interface StoreCommand<Own extends ParseArgsOptionsConfig> {
  readonly name: string;
  readonly usage: string;
  readonly options: Own;
  /** Whether one transaction reads or writes everything. */
  readonly isBulk?: boolean;
  /** Checks the command line before the store is opened. Throws UsageError. */
  plan(given: Given<ValuesOf<Own>>, parts: StoreParts): (tools: StoreTools) => Promise<void>;
}

type ParsedOptions<Own extends ParseArgsOptionsConfig> = typeof sharedOptions & Own;
type ValuesOf<Own extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: ParsedOptions<Own>; allowPositionals: true }>
>['values'];

/** Runs a command on the store. Resolves to the exit code. */
export function runStoreCommand<Own extends ParseArgsOptionsConfig>(
  command: StoreCommand<Own>,
  argv: readonly string[],
  parts: StoreParts,
): Promise<number> {
  return withExitCode(command.name, parts, async () => {
    const given = parseGiven(command, argv);
    const { config, help } = given.values as { readonly config?: string; readonly help?: boolean };
    if (help === true) {
      parts.out.write(`${command.usage}\n`);
      return exitCodes.done;
    }
    const work = command.plan(given, parts);
    const tools = await parts.openStore(parts.load(config), { isBulk: command.isBulk === true });
    try {
      await work(tools);
    } finally {
      await tools.close();
    }
    return exitCodes.done;
  });
}

function parseGiven<Own extends ParseArgsOptionsConfig>(
  { options }: StoreCommand<Own>,
  argv: readonly string[],
): Given<ValuesOf<Own>> {
  try {
    const all: ParsedOptions<Own> = { ...sharedOptions, ...options };
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: all });
    return { values, words: positionals };
  } catch (error) {
    // Node adds a paragraph about positional arguments, which the help says better.
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('. To specify');
    throw new UsageError(`${sentence}.`);
  }
}

/** Takes exactly these words. Throws UsageError that names the one missing or too many. */
export function takeWords<const Names extends readonly string[]>(
  words: readonly string[],
  names: Names,
): { readonly [Index in keyof Names]: string } {
  const missing = names[words.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (words.length > names.length) throw new UsageError(`Unexpected argument "${words[names.length]}".`);
  return words as unknown as { readonly [Index in keyof Names]: string };
}

/** Every item of a list, however many pages it has. */
export async function readAll<Item>(
  read: (page: { readonly limit: number; readonly pageToken?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let next: string | null | undefined; next !== null;) {
    const page: Page<Item> = await read(
      next === undefined ? { limit: 1_000 } : { limit: 1_000, pageToken: next },
    );
    items.push(...page.items);
    next = page.next;
  }
  return items;
}
