import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { Fault } from '../../../kernel/faults.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { runStoreCommand, sharedUsage, type RowCounts, type StoreTools } from '../../accounts/feature.ts';
import { createTransferStream, describeCounts, isOfSystem } from './transfer-stream.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor export FILE: write everything that the store keeps, as lines of JSON

It is the state of one instant, while servers go on. Keys are in it as hashes only; names, notes and the ledger are in
it as they are, so only its owner can read the file. - in place of FILE writes to stdout.

  nestor export nestor.jsonl
  nestor export - | gzip > nestor.jsonl.gz

${sharedUsage}
See docs/guide/operations.md.`;

/** `nestor export`. Resolves to the exit code. */
export function runExport(argv: readonly string[], context: CommandContext): Promise<number> {
  return runStoreCommand(
    {
      name: 'export',
      usage,
      options: {},
      isBulk: true,
      plan({ values, words }) {
        const [file] = takeWords(words, ['FILE']);
        return async (tools: StoreTools): Promise<void> => {
          const counts =
            file === '-' ? await writeStdout(tools, context) : await writeFile(tools, file, context);
          const summary = file === '-' ? context.err : context.out;
          printResult(summary, { file, rows: counts }, `Exported ${describeCounts(counts)}`, values.json);
        };
      },
    },
    argv,
    context,
  );
}

async function writeStdout(
  tools: StoreTools,
  { stdout, err, clock, signal }: CommandContext,
): Promise<RowCounts> {
  const rows = createTransferStream(err, clock);
  const piped = pipeline(rows, stdout, { end: false, signal });
  return exportThrough(tools, rows, piped, signal);
}

/** Under another name until it is whole, so that no half of an export is ever taken for one. */
async function writeFile(
  tools: StoreTools,
  file: string,
  { cwd, err, clock, signal }: CommandContext,
): Promise<RowCounts> {
  const path = resolve(cwd, file);
  if (existsSync(path)) throw new Fault('conflict', `${file} exists and is left as it is.`);
  const partial = `${path}.partial`;
  const rows = createTransferStream(err, clock);
  try {
    const target = createWriteStream(partial, { mode: 0o600, flush: true });
    const counts = await exportThrough(tools, rows, pipeline(rows, target, { signal }), signal);
    renameSync(partial, path);
    return counts;
  } catch (error) {
    rmSync(partial, { force: true });
    throw isOfSystem(error)
      ? new Fault('invalid_value', `${file} cannot be written (${error.code}).`)
      : error;
  }
}

async function exportThrough(
  tools: StoreTools,
  rows: ReturnType<typeof createTransferStream>,
  piped: Promise<void>,
  signal: AbortSignal,
): Promise<RowCounts> {
  const exported = tools.exportTo(rows).then(async (counts) => {
    rows.end();
    await finished(rows, { readable: false });
    return counts;
  });
  exported.catch(() => rows.destroy());
  try {
    const [counts] = await Promise.all([exported, piped]);
    return counts;
  } catch (error) {
    throw signal.aborted ? new Fault('client_closed', 'Interrupted; nothing was exported.') : error;
  }
}
