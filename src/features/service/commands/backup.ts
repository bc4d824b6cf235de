import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { Fault } from '../../../kernel/faults.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { describeCounts, isOfSystem } from './transfer-stream.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { BackupReport, SqliteBackups, StoreReport } from '../backup-tools.ts';

const backupUsage = `nestor backup FILE: copy the store to a file and check the copy, while servers go on

It is the state of one instant: all that was acknowledged before the command began is in it, also usage that waits for
the store. Keys are in it as hashes only; everything else is in it as it is, so only its owner can read the file. Not in
it: nestor.yaml, model files, and what other programs keep. On PostgreSQL it says what to run instead.

  nestor backup /backups/nestor-2026-11-22.db
  nestor backup --check /backups/nestor-2026-11-22.db
  nestor backup --check                 check the store of the configuration, after pg_restore for example

  --check               read a copy, or the store, and say what is in it
  --json                print one JSON value in place of words
  --config FILE         configuration to read in place of NESTOR_CONFIG

Exit codes: 0 done, 1 failed or damaged, 2 wrong command or configuration, 130 interrupted.
See docs/guide/operations.md.`;

const restoreUsage = `nestor restore FILE: put a backup in place of the store

The backup is read whole before anything is changed. The store that is there is kept beside it, and its name is told.
Stop the server first: one that runs keeps its store, and this command says so. On PostgreSQL it says what to run.

  nestor restore --yes /backups/nestor-2026-11-22.db
  nestor restore --yes --json /backups/nestor-2026-11-22.db

  --yes                 replace the store; without it nothing is changed
  --json                print one JSON value in place of words
  --config FILE         configuration to read in place of NESTOR_CONFIG

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.
See docs/guide/operations.md.`;

const backupOptions = { check: { type: 'boolean', default: false }, ...configOption } as const;
export const runBackup = defineCommand(
  { name: 'backup', usage: backupUsage, options: backupOptions },
  async (line, context) => {
    const { values, words } = line;
    const isOfStore = values.check && words.length === 0;
    const [file = ''] = isOfStore ? [] : takeWords(words, ['FILE']);
    const backups = await context.openBackups(await context.load(values.config));
    const print = (wire: object, text: string): void => printResult(context.out, wire, text, values.json);
    if (isOfStore) {
      const report = await backups.checkStore();
      print(report, `The store is whole: ${describe(report)}`);
    } else if (backups.store === 'postgres') {
      if (values.check) throw new UsageError('On PostgreSQL --check takes no FILE: it checks the database.');
      const { backup } = backups.commands(file);
      print({ run: backup }, `PostgreSQL makes its own backups. Run:\n\n  ${backup}\n`);
    } else {
      const report = values.check
        ? await backups.check(resolve(context.cwd, file))
        : await backUp(backups, file, context);
      const verb = values.check ? 'is whole' : 'holds';
      print({ file, ...report }, `${file} ${verb}: ${describe(report)}\nSHA-256 ${report.sha256}`);
    }
    return exitCodes.done;
  },
);

const restoreOptions = { yes: { type: 'boolean', default: false }, ...configOption } as const;
export const runRestore = defineCommand(
  { name: 'restore', usage: restoreUsage, options: restoreOptions },
  async (line, context) => {
    const { values, words } = line;
    const [file] = takeWords(words, ['FILE']);
    const backups = await context.openBackups(await context.load(values.config));
    const print = (wire: object, text: string): void => printResult(context.out, wire, text, values.json);
    if (backups.store === 'postgres') {
      const { restore } = backups.commands(file);
      print(
        { run: [restore, 'nestor backup --check'] },
        `PostgreSQL restores its own backups. Stop every server, then run:\n\n  ${restore}\n  nestor backup --check\n`,
      );
      return exitCodes.done;
    }
    const path = resolve(context.cwd, file);
    if (!values.yes) {
      const found = await backups.check(path);
      throw new UsageError(`${file} holds ${describe(found)}; --yes puts it in place of the store.`);
    }
    const report = await backups.restore(path);
    const kept = report.kept === null ? '' : `\nThe store that was there is kept as ${report.kept}`;
    print({ file, ...report }, `Restored ${describe(report)}${kept}\nStart the server again.`);
    return exitCodes.done;
  },
);

function describe({ schema, rows, ...more }: StoreReport & Partial<BackupReport>): string {
  const size = more.bytes === undefined ? '' : `, ${(more.bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${describeCounts(rows)} (schema ${schema}${size})`;
}

async function backUp(backups: SqliteBackups, file: string, context: CommandContext): Promise<BackupReport> {
  const { cwd, err, clock, signal } = context;
  const path = resolve(cwd, file);
  if (existsSync(path)) throw new Fault('conflict', `${file} exists and is left as it is.`);
  const progress = err.isTTY === true ? createProgress(err, 100, clock) : null;
  try {
    const onProgress = (share: number): void => progress?.update(Math.round(share * 100), 0);
    return await backups.backUp(path, { onProgress, signal });
  } catch (error) {
    if (signal.aborted)
      throw new Fault('client_closed', 'Interrupted; nothing was written.', { cause: error });
    throw isOfSystem(error)
      ? new Fault('invalid_value', `${file} cannot be written (${error.code}).`, { cause: error })
      : error;
  } finally {
    progress?.finish();
  }
}
