import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Page } from '../page.ts';
import type { Config } from '../../../kernel/config.ts';
import { parseCommandLine, type CommandLine } from '../../../kernel/commands/command-line.ts';
import { exitCodes, withExitCode } from '../../../kernel/commands/exit-codes.ts';
import type { StoreParts, StoreTools } from './store-parts.ts';

export const sharedOptions = {
  help: { type: 'boolean', short: 'h', default: false },
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

export const sharedUsage = `  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

It opens the store of the configuration itself, whether or not a server is running on it. What it changes holds in
every server when it returns.

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.`;

export interface StoreCommand<Own extends ParseArgsOptionsConfig> {
  readonly name: string;
  readonly usage: string;
  readonly options: Own;
  /** Whether one transaction reads or writes everything. */
  readonly isBulk?: boolean;
  /** Checks the command line before the store is opened. Throws UsageError. */
  plan(given: CommandLine<ParsedOptions<Own>>, parts: StoreParts): (tools: StoreTools) => Promise<void>;
}

type ParsedOptions<Own extends ParseArgsOptionsConfig> = typeof sharedOptions & Own;

/** Runs a command on the store. Resolves to the exit code. */
export function runStoreCommand<Own extends ParseArgsOptionsConfig>(
  command: StoreCommand<Own>,
  argv: readonly string[],
  parts: StoreParts,
): Promise<number> {
  return withExitCode(command.name, parts, async () => {
    const all: ParsedOptions<Own> = { ...sharedOptions, ...command.options };
    const given = parseCommandLine(argv, all);
    const { config, help } = given.values as { readonly config?: string; readonly help?: boolean };
    if (help === true) {
      parts.out.write(`${command.usage}\n`);
      return exitCodes.done;
    }
    const work = command.plan(given, parts);
    const configuration = parts.load(config);
    tellNewStore(configuration, parts.err);
    const tools = await parts.openStore(configuration, { isBulk: command.isBulk === true });
    try {
      await work(tools);
    } finally {
      await tools.close();
    }
    return exitCodes.done;
  });
}

/** Who runs a command in another folder than the server would else wonder where everything has gone. */
export function tellNewStore({ database, dataFolder }: Config, err: StoreParts['err']): void {
  if (database !== 'sqlite' || existsSync(join(dataFolder, 'nestor.db'))) return;
  err.write(
    `nestor: no store in ${dataFolder} yet, so a new one is made; NESTOR_DATA names another folder\n`,
  );
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
