import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../../kernel/faults.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { runStoreCommand, sharedUsage, type RowCounts, type StoreTools } from '../../accounts/feature.ts';
import { createTransferStream, describeCounts, isOfSystem } from './transfer-stream.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor import FILE: read what nestor export wrote into an empty store

Everything or nothing. SQLite and PostgreSQL read each other's exports. - in place of FILE reads stdin.

  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor import nestor.jsonl
  nestor export - | NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor import -

${sharedUsage}
See docs/guide/operations.md.`;

/** `nestor import`. Resolves to the exit code. */
export function runImport(argv: readonly string[], context: CommandContext): Promise<number> {
  return runStoreCommand(
    {
      name: 'import',
      usage,
      options: {},
      isBulk: true,
      plan({ values, words }) {
        const [file] = takeWords(words, ['FILE']);
        return async (tools: StoreTools): Promise<void> => {
          const input = file === '-' ? context.stdin : createReadStream(resolve(context.cwd, file));
          const counts = await importFrom(tools, input, context).catch((error: unknown) => {
            throw toReadable(error, file);
          });
          printResult(context.out, { file, rows: counts }, `Imported ${describeCounts(counts)}`, values.json);
        };
      },
    },
    argv,
    context,
  );
}

async function importFrom(
  tools: StoreTools,
  input: Readable,
  { err, clock, signal }: CommandContext,
): Promise<RowCounts> {
  const rows = createTransferStream(err, clock);
  const piped = pipeline(input, rows, { signal });
  const imported = tools.importFrom(rows);
  // A store that refuses ends the reading; a file that cannot be read ends the import with its reason.
  imported.catch(() => rows.destroy());
  const [read, kept] = await Promise.allSettled([piped, imported]);
  if (kept.status === 'fulfilled') return kept.value;
  if (signal.aborted) throw new Fault('client_closed', 'Interrupted; nothing was imported.');
  throw read.status === 'rejected' && isOfSystem(read.reason) ? read.reason : kept.reason;
}

/** What the system says about a file, in one line. */
function toReadable(error: unknown, file: string): unknown {
  if (!isOfSystem(error)) return error;
  return new Fault('invalid_value', `${file} cannot be read (${error.code}).`, { cause: error });
}
