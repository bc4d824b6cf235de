import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inLanes } from '../../../kernel/kit/lanes.ts';
import { ApiError, describeApiError, type PublishedApi } from '../api.ts';
import { decide, type Verdict } from '../decide.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { readCsv } from '../../../kernel/kit/csv.ts';
import type { Json, JsonObject } from '../../../kernel/kit/json.ts';
import { readBytes } from './client-command.ts';
import { toLine } from './client-paint.ts';
import { ExampleError, exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

type CsvContext = Pick<CommandContext, 'cwd' | 'out' | 'err' | 'clock' | 'signal'>;

interface CsvJob {
  readonly csv: string;
  readonly columns: readonly string[];
  readonly out: string;
  readonly questions: JsonObject;
  readonly model: string;
  readonly concurrency: number;
  readonly json: boolean;
}

/** What the answers add to a row: a cell for each new column, the last one the error. */
type Cells = readonly string[];

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly added: readonly string[];
}

/** Resolves when the time is over; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const pauseOfTheClock: Pause = async (ms, signal) => pause(ms, undefined, { signal });

const attemptsMax = 6;
const waitMaxMs = 30_000;
/** When the first rows all fail, it is the questions that are wrong and not the rows. */
const hopelessRows = 5;

/**
 * Answers for every row. What is answered is kept in a file beside `out`, a line a row, so that the same command goes on
 * where it was broken off; `out` appears whole, at the end. Rows that the server refuses are marked in the last
 * column and asked again by the next run.
 */
export async function decideCsv(
  api: PublishedApi,
  job: CsvJob,
  context: CsvContext,
  wait: Pause = pauseOfTheClock,
): Promise<number> {
  const bytes = readBytes(job.csv, context);
  const table = readTable(bytes.toString('utf8'), job);
  const out = resolve(context.cwd, job.out);
  const partial = `${out}.${digestOf(bytes, job)}.partial`;
  if (existsSync(out) && !existsSync(partial)) {
    context.err.write(`nestor: ${job.out} exists and is left as it is.\n`);
    return exitCodes.failed;
  }
  const done = readPartial(partial, table.rows.length);
  const failed = new Map<number, string>();
  const isWhole = await answerRows({ api, job, table, partial, done, failed, context, wait });
  if (!isWhole) {
    context.err.write(
      `nestor: ${done.size} of ${table.rows.length} rows are answered; the same command goes on from there.\n`,
    );
    return context.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  }
  writeTable(
    out,
    table,
    (row) => done.get(row) ?? [...table.added.slice(1).map(() => ''), failed.get(row) ?? ''],
  );
  if (failed.size === 0) rmSync(partial, { force: true });
  // It marks the table as written here, which the next run may replace, also when no row was answered.
  else appendFileSync(partial, '', { mode: 0o600 });
  reportDone(job, table.rows.length, failed.size, context);
  return failed.size === 0 ? exitCodes.done : exitCodes.failed;
}

function reportDone({ out, json }: CsvJob, rows: number, failed: number, context: CsvContext): void {
  if (json) {
    context.out.write(`${JSON.stringify({ out, rows, failed }, null, 2)}\n`);
    return;
  }
  context.out.write(`${rows - failed} of ${rows} rows answered, written to ${out}\n`);
  if (failed > 0) context.err.write(`nestor: ${failed} rows failed; the column "error" says why.\n`);
}

interface Run {
  readonly api: PublishedApi;
  readonly job: CsvJob;
  readonly table: Table;
  readonly partial: string;
  readonly done: Map<number, Cells>;
  readonly failed: Map<number, string>;
  readonly context: CsvContext;
  readonly wait: Pause;
}

/** Resolves to whether every row was asked. */
async function answerRows(run: Run): Promise<boolean> {
  const { job, table, partial, done, failed, context } = run;
  const progress = createProgress(context.err, Math.max(1, table.rows.length), context.clock);
  const left = table.rows.keys().filter((row) => !done.has(row));
  const lanes = { count: job.concurrency, signal: context.signal };
  try {
    await inLanes(left, lanes, async (row, signal) => {
      try {
        const cells = await answerRow(run, table.rows[row] ?? [], signal);
        done.set(row, cells);
        appendFileSync(partial, `${JSON.stringify([row, cells])}\n`, { mode: 0o600 });
      } catch (error) {
        if (!(error instanceof ApiError) || isFatal(error)) throw error;
        failed.set(row, describeApiError(error));
        if (done.size === 0 && failed.size >= hopelessRows) throw error;
      }
      progress.update(done.size + failed.size, failed.size);
    });
    return done.size + failed.size === table.rows.length;
  } catch (error) {
    if (error instanceof ApiError) context.err.write(`\nnestor: ${toLine(describeApiError(error))}\n`);
    else if (!context.signal.aborted) throw error;
    return false;
  } finally {
    progress.finish();
  }
}

/** What no other row would fare better with. A rate limit is waited out. */
function isFatal({ status }: ApiError): boolean {
  return status === null || status >= 500 || [401, 403, 404, 405].includes(status);
}

async function answerRow(
  { api, job, table, wait }: Run,
  fields: readonly string[],
  signal: AbortSignal,
): Promise<Cells> {
  const state = toState(fields, table.header, job.columns);
  let limited = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      const { verdicts } = await decide(api, { model: job.model, state, questions: job.questions }, signal);
      return [...[...verdicts.values()].flatMap(toCells), ''];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, retryAfterMs } = error;
      const isLimited = status === 429;
      if (isLimited) limited++;
      const isPassing = isLimited || status === null || status >= 500;
      if (!isPassing || attempt - limited === attemptsMax) throw error;
      // Rows that were told the same wait come back together: each time they are refused they wait longer.
      const waitMs = isLimited ? (retryAfterMs ?? 500) * 1.5 ** (limited - 1) : retryAfterMs;
      await wait(Math.min(waitMaxMs, waitMs ?? 250 * 2 ** attempt), signal);
    }
  }
}

function toState(fields: readonly string[], header: readonly string[], columns: readonly string[]): Json {
  const cells = columns.map((column) => [column, fields[header.indexOf(column)] ?? ''] as const);
  const [only] = cells;
  return cells.length === 1 && only !== undefined ? only[1] : Object.fromEntries(cells);
}

function toCells(verdict: Verdict): readonly string[] {
  switch (verdict.type) {
    case 'noul':
      return [String(verdict.probability)];
    case 'choice':
      return [verdict.choice, String(verdict.confidence)];
    case 'score':
      return [String(verdict.score), String(verdict.confidence)];
  }
}

function readTable(text: string, { csv, columns, questions }: CsvJob): Table {
  const [head, ...records] = readCsv(text.replace(/^\uFEFF/, ''), ExampleError.in(csv));
  if (head === undefined) throw new UsageError(`${csv} is empty.`);
  const header = head.fields;
  for (const column of columns) {
    if (!header.includes(column))
      throw new UsageError(`${csv} has no column "${column}"; it has ${header.join(', ')}.`);
  }
  const wrong = records.find(({ fields }) => fields.length !== header.length);
  if (wrong !== undefined) {
    throw new UsageError(
      `${csv}:${wrong.line}: ${wrong.fields.length} fields, the header has ${header.length}.`,
    );
  }
  const added = Object.entries(questions).flatMap(([name, question]) =>
    (question as JsonObject)['type'] === 'noul' ? [name] : [name, `${name}.confidence`],
  );
  const taken = [...added, 'error'].find((name) => header.includes(name));
  if (taken !== undefined) {
    throw new UsageError(`${csv} has a column "${taken}" already; give the question another name.`);
  }
  return { header, rows: records.map(({ fields }) => fields), added: [...added, 'error'] };
}

/** Changes with everything that the answers depend on. */
function digestOf(bytes: Uint8Array, { columns, questions, model }: CsvJob): string {
  return createHash('sha256')
    .update(JSON.stringify({ columns, questions, model }))
    .update(bytes)
    .digest('hex')
    .slice(0, 8);
}

/** The last line may be half of one: the process died while it wrote. */
function readPartial(path: string, rows: number): Map<number, Cells> {
  const done = new Map<number, Cells>();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) writeFileSync(path, whole, { mode: 0o600 });
  for (const line of whole.split('\n').filter((one) => one !== '')) {
    const [row, cells] = JSON.parse(line) as [number, Cells];
    if (row < rows) done.set(row, cells);
  }
  return done;
}

function writeTable(path: string, { header, rows, added }: Table, cellsOf: (row: number) => Cells): void {
  const lines = [[...header, ...added], ...rows.map((fields, row) => [...fields, ...cellsOf(row)])];
  const text = lines.map((fields) => fields.map(toField).join(',')).join('\n');
  writeFileSync(`${path}.tmp`, `${text}\n`, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

function toField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
