import { findNearest } from '../config/names.ts';
import { commandGroups, type Command } from './command.ts';

const summaryColumn = 22;

export function toHelp(version: string, commands: readonly Command[]): string {
  const groups = commandGroups.map((title) =>
    [
      title,
      ...commands
        .filter(({ group }) => group === title)
        .map(({ name, summary }) => `  nestor ${name}`.padEnd(summaryColumn) + summary),
    ].join('\n'),
  );
  return `Nestor ${version}: decisions, grounded answers and model routing on your own machine

  nestor                     what is here, and what to do next
  nestor serve               serve, with nothing to set
  nestor doctor              see what works here
  nestor decide "I want my money back" --noul "Is a refund asked for?"

${groups.join('\n\n')}

nestor COMMAND --help tells the options of one and gives examples; nestor --version prints the version.

Commands that call a server read its address from NESTOR_URL and your key from NESTOR_KEY. The others read the
configuration: NESTOR_PORT, NESTOR_DATA, NESTOR_ROOT_KEY, …, or nestor.yaml; --config FILE names another file.
Every command takes --json, except mcp. NO_COLOR switches colours off.
Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted by Ctrl-C.
See docs/guide/command-line.md.`;
}

export function toUnknownCommand(name: string, known: readonly string[]): string {
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `Unknown command "${name}".${hint} Try: nestor --help`;
}
