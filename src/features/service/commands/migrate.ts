import { printResult } from '../../../kernel/commands/print.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { storeCommand, sharedUsage } from '../../accounts/feature.ts';

const usage = `nestor migrate: bring the store to the schema of this version

A server does the same when it starts. Run this before, to start several servers at once after an upgrade.

  nestor migrate
  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor migrate

${sharedUsage}
See docs/guide/operations.md.`;

export const runMigrate = storeCommand({
  name: 'migrate',
  usage,
  options: {},
  plan({ values, words }, context) {
    takeWords(words, []);
    // Opening has done it.
    return {
      async creates({ database, schema }) {
        printResult(
          context.out,
          { store: database.store, schema },
          `The store (${database.store}) has the schema ${schema}`,
          values.json,
        );
      },
    };
  },
});
