import { takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { shells, toCompletions } from '../../../kernel/commands/completions.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { defineCommand } from '../../../kernel/commands/run-command.ts';

const usage = `nestor completions: a script with which a shell completes commands, verbs and options

  nestor completions bash >> ~/.bashrc
  source <(nestor completions zsh)
  nestor completions fish > ~/.config/fish/completions/nestor.fish

  --json                print {"shell", "script"} as one JSON value

It is written from the commands of this version: write it again after an update, or let the shell ask at its start, as
in the second line.

Exit codes: 0 done, 2 wrong command.
See docs/guide/command-line.md.`;

/** `nestor completions SHELL`. Resolves to the exit code. */
export const runCompletions = defineCommand(
  { name: 'completions', usage, options: {}, verbs: shells },
  async ({ values, words }, context: Pick<CommandContext, 'out' | 'err' | 'signal' | 'commands'>) => {
    const [given] = takeWords(words, ['SHELL (bash, zsh or fish)']);
    const shell = shells.find((name) => name === given);
    if (shell === undefined) throw new UsageError(`"${given}" is not known; there are ${shells.join(', ')}.`);
    const commands = await Promise.all(
      context.commands.map(async (command) => {
        const { shape } = await command.load();
        return { name: command.name, summary: command.summary, ...shape };
      }),
    );
    const script = toCompletions(shell, commands);
    printResult(context.out, { shell, script }, script.trimEnd(), values.json);
    return exitCodes.done;
  },
);
