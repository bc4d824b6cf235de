import { existsSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Page } from '../page.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { Config } from '../../../kernel/config.ts';
import {
  configOption,
  defineCommand,
  type CommandText,
  type OwnLine,
} from '../../../kernel/commands/run-command.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { Readable, Writable } from 'node:stream';
import type { Database } from '../../../kernel/store/database.ts';
import { toSqlitePath } from '../../../kernel/store/store-address.ts';
import type { Administration } from '../administration.ts';
import type { LedgerRepair } from '../ledger/repair.ts';

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** The store of a configuration, beside servers that may be running on it. */
export interface StoreTools {
  readonly administration: Administration;
  readonly database: Database;
  /** The last step of the schema, which opening has brought the store to. */
  readonly schema: string;
  /** Puts right what can be put right of the ledger. */
  repairLedger(this: void): Promise<LedgerRepair>;
  /** Writes everything as lines of JSON, as of one instant. Does not end the stream. */
  exportTo(output: Writable): Promise<RowCounts>;
  /** Reads an export into an empty store: everything or nothing. */
  importFrom(input: Readable): Promise<RowCounts>;
  close(): Promise<void>;
}

export const sharedUsage = `  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

It opens the store of the configuration itself, whether or not a server is running on it. What it changes holds in
every server when it returns.

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.`;

interface StoreCommand<Own extends ParseArgsOptionsConfig> extends CommandText<Own> {
  /** Whether one transaction reads or writes everything. */
  readonly isBulk?: boolean;
  /** Checks the command line before the store is opened. Throws UsageError. */
  plan(line: OwnLine<typeof configOption & Own>, context: CommandContext): StoreWork | Creating;
}

export type StoreValues<Own extends ParseArgsOptionsConfig> = OwnLine<typeof configOption & Own>['values'];
/** The work of a command, on an open store. */
export type StoreWork = (tools: StoreTools) => Promise<void>;

/** Work that makes a store where there is none. All other work fails there: looking leaves nothing behind. */
export interface Creating {
  readonly creates: StoreWork;
}

/** A command on the store. It resolves to the exit code. */
export function storeCommand<Own extends ParseArgsOptionsConfig>(command: StoreCommand<Own>) {
  const options: typeof configOption & Own = { ...configOption, ...command.options };
  return defineCommand({ ...command, options }, (line, context: CommandContext) => {
    const planned = command.plan(line, context);
    const { config } = line.values as { readonly config?: string };
    return withStore(config, command, context, planned);
  });
}

/** Opens the store of a configuration for some work. Resolves to the exit code. */
export async function withStore(
  configFile: string | undefined,
  { isBulk = false }: { readonly isBulk?: boolean },
  context: CommandContext,
  planned: StoreWork | Creating,
): Promise<number> {
  const config = await context.load(configFile);
  const creates = 'creates' in planned;
  const work = creates ? planned.creates : planned;
  lookForStore(config, creates, context.err);
  const tools = await context.openStore(config, { isBulk });
  try {
    await work(tools);
  } finally {
    await tools.close();
  }
  return exitCodes.done;
}

/**
 * There is no store yet where a command runs in another folder than the server. Throws Fault `not_found`, or warns where
 * the command makes one.
 */
export function lookForStore(
  { database, dataFolder }: Config,
  creates: boolean,
  err: CommandContext['err'],
): void {
  const path = toSqlitePath(database, dataFolder);
  if (path === null || existsSync(path)) return;
  const isUsual = database === 'sqlite';
  const place = isUsual ? `in ${dataFolder}` : `at ${path}`;
  const elsewhere = isUsual ? 'NESTOR_DATA names another folder' : 'NESTOR_DATABASE_URL names another one';
  if (!creates)
    throw new Fault(
      'not_found',
      `there is no store ${place} yet; \`nestor serve\` makes one, and ${elsewhere}.`,
    );
  err.write(`nestor: no store ${place} yet, so a new one is made; ${elsewhere}\n`);
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
