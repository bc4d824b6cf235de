import { resolve } from 'node:path';
import { describe } from './backup.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { configOption, runCommand } from '../../../kernel/commands/run-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor restore FILE: put a backup in place of the store

The backup is read whole before anything is changed. The store that is there is kept beside it, and its name is told.
Stop the server first: one that runs keeps its store, and this command says so. On PostgreSQL it says what to run.

  nestor restore --yes /backups/nestor-2026-11-22.db
  nestor restore --yes --json /backups/nestor-2026-11-22.db

  --yes                 replace the store; without it nothing is changed
  --json                print one JSON value in place of words
  --config FILE         configuration to read in place of NESTOR_CONFIG

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.
See docs/guide/operations.md.`;

const options = {
  yes: { type: 'boolean', default: false },
  ...configOption,
} as const;

/** `nestor restore`. Resolves to the exit code. */
export function runRestore(argv: readonly string[], context: CommandContext): Promise<number> {
  return runCommand({ name: 'restore', usage, options }, argv, context, async ({ values, words }) => {
    const [file] = takeWords(words, ['FILE']);
    const backups = context.openBackups(context.load(values.config));
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
  });
}
