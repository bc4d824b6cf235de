import { inspectLedger, type LedgerFiles, type ProcessBacklog } from '../ledger/inspect.ts';
import { ledgerFolderOf } from '../ledger/folder.ts';
import { parseCommandLine, takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import { exitCodes, withExitCode } from '../../../kernel/commands/exit-codes.ts';
import { printJson, printRecords, toTime, type Column } from '../../../kernel/commands/print.ts';
import { runStoreCommand, sharedOptions, sharedUsage } from './store-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { StoreTools } from './store-command.ts';

const usage = `nestor ledger: what of the billed requests is not in the database yet, and why

  nestor ledger status       what each server has written and not handed on, and what was set aside
  nestor ledger repair       hand on what servers left that ended, try again what was set aside, check the sums

  nestor ledger status --json
  nestor ledger repair

Both run beside servers. status opens no database, so it answers when the disk is full or the database is away.

${sharedUsage}
See docs/guide/operations.md.`;

/** `nestor ledger`. Resolves to the exit code. */
export async function runLedger(argv: readonly string[], context: CommandContext): Promise<number> {
  let isStatus = false;
  const code = await withExitCode('ledger', context, async () => {
    const { values, words } = parseCommandLine(argv, sharedOptions);
    if (values.help) return exitCodes.done;
    const [verb, rest] = takeVerb(words, ['status', 'repair'], 'status');
    takeWords(rest, []);
    if (verb === 'repair') return exitCodes.done;
    isStatus = true;
    const { dataFolder } = context.load(values.config);
    printStatus(inspectLedger(ledgerFolderOf(dataFolder)), context, values.json);
    return exitCodes.done;
  });
  if (isStatus || code !== exitCodes.done) return code;
  return runStoreCommand({ name: 'ledger', usage, options: {}, isBulk: true, plan: repair }, argv, context);

  function repair({ values }: { readonly values: { readonly json?: boolean } }) {
    return async ({ repairLedger }: StoreTools): Promise<void> => {
      const done = await repairLedger();
      if (values.json === true) printJson(context.out, done);
      else
        context.out.write(
          `${done.adopted} rows of servers that ended were handed on, ${done.recovered} files that were set aside are ` +
            `in the database now, ${done.setAside} stay\n` +
            `${done.days.days} days were compared with their rows, ${done.days.mended} sums were put right\n`,
        );
    };
  }
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
  else printRecords(out, processes, columns, false);
  if (setAside.damaged + setAside.refused > 0)
    out.write(
      `Set aside in ${folder}/set-aside: ${setAside.damaged} damaged, ${setAside.refused} refused; try: nestor ledger repair\n`,
    );
  for (const name of strays) out.write(`${folder}/${name} is not of the ledger: move it elsewhere\n`);
}
