import { printJson } from '../../../kernel/commands/print.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { runStoreCommand, sharedUsage, type StoreTools } from '../../accounts/feature.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor migrate: bring the store to the schema of this version

A server does the same when it starts. Run this before, to start several servers at once after an upgrade.

  nestor migrate
  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor migrate

${sharedUsage}
See docs/guide/operations.md.`;

/** `nestor migrate`. Resolves to the exit code. */
export function runMigrate(argv: readonly string[], context: CommandContext): Promise<number> {
  return runStoreCommand({ name: 'migrate', usage, options: {}, plan }, argv, context);

  function plan({
    values,
    words,
  }: {
    readonly values: { readonly json?: boolean };
    readonly words: readonly string[];
  }) {
    takeWords(words, []);
    // Opening has done it.
    return async ({ database, schema }: StoreTools): Promise<void> => {
      if (values.json === true) printJson(context.out, { store: database.store, schema });
      else context.out.write(`The store (${database.store}) has the schema ${schema}\n`);
    };
  }
}
