import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { Fault } from '../../../kernel/faults.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { storeCommand, sharedUsage, type RowCounts, type StoreTools } from '../../accounts/feature.ts';
import { createTransferStream, describeCounts, isOfSystem } from './transfer-stream.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const exportUsage = `nestor export FILE: write everything that the store keeps, as lines of JSON

It is the state of one instant, while servers go on. Keys are in it as hashes only; names, notes and the ledger are in
it as they are, so only its owner can read the file. - in place of FILE writes to stdout.

  nestor export nestor.jsonl
  nestor export - | gzip > nestor.jsonl.gz

${sharedUsage}
See docs/guide/operations.md.`;

const importUsage = `nestor import FILE: read what nestor export wrote into an empty store

Everything or nothing. SQLite and PostgreSQL read each other's exports. - in place of FILE reads stdin.

  NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor import nestor.jsonl
  nestor export - | NESTOR_DATABASE_URL=postgres://nestor@db/nestor nestor import -

${sharedUsage}
See docs/guide/operations.md.`;

export const runExport = transferCommand('export', exportUsage, async (tools, file, context) => {
  const isStdout = file === '-';
  const rows = isStdout ? await writeStdout(tools, context) : await writeFile(tools, file, context);
  return { rows, done: 'Exported', summary: isStdout ? context.err : context.out };
});

export const runImport = transferCommand('import', importUsage, async (tools, file, context) => {
  const input = file === '-' ? context.stdin : createReadStream(resolve(context.cwd, file));
  const rows = await importFrom(tools, input, context).catch((error: unknown) => {
    if (!isOfSystem(error)) throw error;
    throw new Fault('invalid_value', `${file} cannot be read (${error.code}).`, { cause: error });
  });
  return { rows, done: 'Imported', summary: context.out };
});

interface Transferred {
  readonly rows: RowCounts;
  readonly done: string;
  /** Where the summary is printed. */
  readonly summary: CommandContext['out'];
}

function transferCommand(
  name: string,
  usage: string,
  transfer: (tools: StoreTools, file: string, context: CommandContext) => Promise<Transferred>,
) {
  return storeCommand({
    name,
    usage,
    options: {},
    isBulk: true,
    plan({ values, words }, context) {
      const [file] = takeWords(words, ['FILE']);
      const work = async (tools: StoreTools) => {
        const { rows, done, summary } = await transfer(tools, file, context);
        printResult(summary, { file, rows }, `${done} ${describeCounts(rows)}`, values.json);
      };
      // An export of nothing is a command in the wrong folder.
      return name === 'import' ? { creates: work } : work;
    },
  });
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
  const target = createWriteStream(partial, { mode: 0o600, flush: true });
  try {
    const counts = await exportThrough(tools, rows, pipeline(rows, target, { signal }), signal);
    renameSync(partial, path);
    return counts;
  } catch (error) {
    // One that is still being opened would be there again after it was removed.
    target.destroy();
    if (!target.closed) await new Promise((resolve) => target.once('close', resolve));
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

async function importFrom(
  tools: StoreTools,
  input: Readable,
  { err, clock, signal }: CommandContext,
): Promise<RowCounts> {
  const rows = createTransferStream(err, clock);
  // What cannot be read is told whatever the store would say of it: a store that refused first ended the reading.
  await once(input, 'readable', { signal }).catch((error: unknown) => {
    throw signal.aborted ? interrupted() : error;
  });
  const piped = pipeline(input, rows, { signal });
  const imported = tools.importFrom(rows);
  // A store that refuses ends the reading; a file that cannot be read ends the import with its reason.
  imported.catch(() => rows.destroy());
  const [read, kept] = await Promise.allSettled([piped, imported]);
  if (kept.status === 'fulfilled') return kept.value;
  if (signal.aborted) throw interrupted();
  throw read.status === 'rejected' && isOfSystem(read.reason) ? read.reason : kept.reason;
}

const interrupted = () => new Fault('client_closed', 'Interrupted; nothing was imported.');
