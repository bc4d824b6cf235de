import { inspectLedger, type LedgerFiles, type ProcessBacklog } from '../ledger/inspect.ts';
import { ledgerFolderOf } from '../ledger/journal.ts';
import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { printJson, printTable, printResult, toTime, type Column } from '../../../kernel/commands/print.ts';
import { sharedUsage, withStore } from './store-command.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { LedgerRepair } from '../ledger/repair.ts';

const usage = `nestor ledger: what of the billed requests is not in the database yet, and why

  nestor ledger status       what each server has written and not handed on, and what was set aside
  nestor ledger repair       hand on what servers left that ended, try again what was set aside, check the sums

  nestor ledger status --json
  nestor ledger repair

Both run beside servers. status opens no database, so it answers when the disk is full or the database is away.

${sharedUsage}
See docs/guide/operations.md.`;

const verbs = ['status', 'repair'] as const;

export const runLedger = defineCommand(
  { name: 'ledger', usage, options: configOption, verbs },
  async (line, context) => {
    const { values, words } = line;
    const [verb, rest] = takeVerb(words, verbs, 'status');
    takeWords(rest, []);
    if (verb === 'repair')
      return withStore(values.config, { isBulk: true }, context, async ({ repairLedger }) => {
        const done = await repairLedger();
        printResult(context.out, done, describeRepair(done), values.json);
      });
    const { dataFolder } = await context.load(values.config);
    printStatus(inspectLedger(ledgerFolderOf(dataFolder)), context, values.json);
    return exitCodes.done;
  },
);

function describeRepair({ adopted, recovered, setAside, days }: LedgerRepair): string {
  return (
    `${adopted} rows of servers that ended were handed on, ${recovered} files that were set aside are ` +
    `in the database now, ${setAside} stay\n` +
    `${days.days} days were compared with their rows, ${days.mended} sums were put right`
  );
}

const columns: readonly Column<ProcessBacklog>[] = [
  { heading: 'SERVER', of: ({ name }) => name },
  { heading: 'STATE', of: ({ state }) => state },
  { heading: 'ROWS', isNumber: true, of: ({ rows }) => rows },
  { heading: 'BYTES', isNumber: true, of: ({ bytes }) => bytes },
  { heading: 'DAMAGED', isNumber: true, of: ({ damaged }) => damaged },
  { heading: 'OLDEST', of: ({ oldestAtMs }) => toTime(oldestAtMs) },
];

function printStatus(files: LedgerFiles, { out }: CommandContext, isJson: boolean): void {
  if (isJson) {
    printJson(out, files);
    return;
  }
  const { processes, setAside, strays, folder } = files;
  if (processes.length === 0) out.write('Nothing waits: every row is in the database\n');
  else printTable(out, processes, columns);
  if (setAside.damaged + setAside.refused > 0)
    out.write(
      `Set aside in ${folder}/set-aside: ${setAside.damaged} damaged, ${setAside.refused} refused; try: nestor ledger repair\n`,
    );
  for (const name of strays) out.write(`${folder}/${name} is not of the ledger: move it elsewhere\n`);
}
