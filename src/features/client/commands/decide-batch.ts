import { createWriteStream, existsSync, openAsBlob, renameSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { JsonObject } from '../../../kernel/kit/json.ts';
import { awaitBatch, readBatch, resultsPath, startBatch, type Batch } from '../batch.ts';
import { readNames } from '../names.ts';
import type { Client } from '../open-client.ts';
import { printReply } from './client-command.ts';

export interface BatchJob {
  /** File of rows; undefined with the id of a batch that was sent before. */
  readonly file: string | undefined;
  readonly id: string | undefined;
  /** Where results go; standard output without it. */
  readonly out: string | undefined;
  readonly questions: JsonObject | null;
  readonly model: string | undefined;
  readonly waits: boolean;
  readonly json: boolean;
}

/** Sends a file of rows or comes back to one, waits, and writes the results. */
export async function decideBatch(client: Client, job: BatchJob, context: CommandContext): Promise<number> {
  const { cwd, err, out, signal } = context;
  if (job.out !== undefined && existsSync(resolve(cwd, job.out)))
    throw new UsageError(`${job.out} exists and is left as it is.`);
  const begun =
    job.id === undefined ? await send(client, job, context) : await readBatch(client, job.id, signal);
  if (!job.waits) {
    if (job.json) printReply(out, begun.reply);
    else out.write(`${begun.id}\n`);
    return exitCodes.done;
  }
  if (job.id === undefined) err.write(`Batch ${begun.id}\n`);
  const batch = await wait(client, begun, context);
  await writeResults(client, batch.id, job, context);
  const { status, answered, failed, total } = batch;
  if (job.json && job.out !== undefined) printReply(out, batch.reply);
  else
    err.write(
      `${answered} of ${total} rows answered${status === 'completed' ? '' : `; the batch is ${status}`}\n`,
    );
  return status === 'completed' && failed === 0 ? exitCodes.done : exitCodes.failed;
}

async function send(client: Client, job: BatchJob, { cwd, signal }: CommandContext): Promise<Batch> {
  const path = job.file ?? '';
  const content = await openRows(resolve(cwd, path), path);
  const model = job.model ?? (await readNames(client, signal)).decider;
  const file = { name: basename(path), content };
  return startBatch(client, { model, questions: job.questions, file }, signal);
}

async function openRows(path: string, name: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch {
    throw new UsageError(`${name} cannot be read.`);
  }
}

async function wait(client: Client, begun: Batch, { err, clock, signal }: CommandContext): Promise<Batch> {
  const progress = createProgress(err, Math.max(1, begun.total), clock);
  try {
    return await awaitBatch(client, begun.id, {
      signal,
      onLook: ({ answered, failed }) => progress.update(answered + failed, failed),
    });
  } catch (error) {
    if (signal.aborted) err.write(`\nIt goes on without you: nestor decide --job ${begun.id}\n`);
    throw error;
  } finally {
    progress.finish();
  }
}

/** A file appears whole, at the end. */
async function writeResults(
  client: Client,
  id: string,
  { out }: BatchJob,
  { cwd, out: terminal, signal }: CommandContext,
): Promise<void> {
  const lines = client.read({ path: resultsPath(id), signal });
  if (out === undefined) {
    const decoder = new TextDecoder();
    for await (const chunk of lines) terminal.write(decoder.decode(chunk, { stream: true }));
    return;
  }
  const path = resolve(cwd, out);
  await pipeline(Readable.from(lines), createWriteStream(`${path}.tmp`, { mode: 0o600 }));
  renameSync(`${path}.tmp`, path);
}
