import { availableParallelism, totalmem } from 'node:os';
import { Fault } from '../../../kernel/faults.ts';
import { moduleBeside } from '../../../kernel/kit/beside.ts';
import { ownAccount } from '../../../kernel/kit/caller.ts';
import { JobError } from '../../../kernel/kit/job-thread.ts';
import { JobPool } from '../../../kernel/kit/job-pool.ts';
import { JointJobs } from '../../../kernel/kit/joint-jobs.ts';
import { markers } from './forms.ts';
import type { GraphKind } from './graph.ts';
import { keepRows } from './kept-rows.ts';
import { readModelFolder, type ModelFolder } from './model-folder.ts';
import { OnnxProblem } from './problem.ts';
import { probeModel } from './probe-model.ts';
import type { OnnxJob, OnnxReply } from './thread-job.ts';
import type { Row, RowText } from './row.ts';

export interface OnnxModelOptions {
  /** A folder, or the graph in it. */
  readonly path: string;
  /** Timeout of one job, in ms. With the first the model is opened. */
  readonly timeoutMs?: number;
  /** Time without a job after which the memory is given back; the next job opens the model again. Unit: ms. */
  readonly idleMs?: number;
  /** Threads, each with weights of its own, which begin when those before are busy; as many as suit the machine by default, and for null. */
  readonly threads?: number | null;
  /** Ends the opening, with an OnnxProblem. */
  readonly signal?: AbortSignal;
}

/** The threads of a model, each of which opens it with its first job. */
export interface OnnxThread {
  /** Rows as the model reads them. Rejects as `run` does. */
  tokenize(texts: readonly RowText[], signal: AbortSignal, account?: string): Promise<readonly Row[]>;
  /**
   * A vector of every row, with those of its tokens behind it where these are wanted, or a number for each label, or for each
   * marked token in it; of a row with an option beside it the score and then the vector of the option. The same row gives the same bytes whatever is asked beside it.
   * Accounts take turns after each few rows. Rejects with the signal's reason at once (the rows under way are still
   * evaluated), and with Fault `service_unavailable` where too much waits, the thread failed or it is closed, and with
   * `bad_gateway` where the model gives no numbers.
   */
  run(rows: readonly Row[], signal: AbortSignal, account?: string): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** A model in ONNX form in a thread of this process. */
export interface OnnxModel extends OnnxThread {
  readonly kind: GraphKind;
  /** Name of the package that evaluates. */
  readonly runtime: string;
  /** Numbers of one row. */
  readonly dimensions: number;
  /** Memory that it took when it was tried. Unit: bytes. */
  readonly memoryBytes: number;
  readonly tokensMax: number;
  readonly prompts: ModelFolder['prompts'];
  readonly labels: readonly string[];
  /** What its own settings file says, else config.json. */
  readonly settings: ModelFolder['settings'];
  /** The shortest row of a model that cannot read a plain text; null of one that can. */
  readonly sample: RowText | null;
}

const jobTimeoutMs = 60_000;
/** Opening takes about as long as a hundred short rows. */
const modelIdleMs = 600_000;
/** Calls that wait or are under way at most; one account may have half of them. */
const callsMax = 512;
/** Accounts wait with one job of a kind at a time. */
const waitingMax = 2 * callsMax;
const heapMb = 512;
/** What one account evaluates before others have their turn. Unit: tokens. */
const turnTokens = 128;
/** The same for tokenizing, which is a thousand times as fast. Unit: characters. */
const turnCharacters = 65_536;

/** Opens a model, first in a child process. Throws OnnxProblem. */
export async function openOnnxModel(options: OnnxModelOptions): Promise<OnnxModel> {
  try {
    const model = await readModelFolder(options.path);
    const { kind, runtime, dimensions, memoryBytes, evaluatesTogether } = await probeModel(
      model,
      options.signal,
    );
    const { tokensMax, prompts, labels, settings } = model;
    const { sample } = (kind === 'markers' ? markers : model.form) ?? { sample: null };
    const thread = openOnnxThread({ ...model, evaluatesTogether }, options);
    return {
      kind,
      runtime,
      dimensions,
      memoryBytes,
      tokensMax,
      prompts,
      labels,
      settings,
      sample,
      ...thread,
    };
  } catch (error) {
    if (!(error instanceof OnnxProblem)) throw error;
    throw new OnnxProblem(`${options.path}: ${error.message}`, { cause: error });
  }
}

/** A model that was tried before, or ships with Nestor. */
export function openOnnxThread(
  model: ModelFolder,
  { timeoutMs = jobTimeoutMs, idleMs = modelIdleMs, threads = null }: Omit<OnnxModelOptions, 'path'>,
): OnnxThread {
  const jobsMax = threads ?? threadsThatSuit();
  const pool = new JobPool<OnnxJob, OnnxReply>({
    workerUrl: moduleBeside('worker', import.meta.url),
    name: 'onnx',
    workerData: { ...model, settings: {} },
    timeoutMs,
    idleMs,
    heapMb,
    waitingMax,
    // One session evaluates one row at a time.
    threads: jobsMax,
    isSoonOver: true,
  });
  const tokenizing = new JointJobs<RowText, OnnxJob, OnnxReply, Row>({
    pool,
    toJob: (texts) => ({ kind: 'tokenize', texts }),
    toValues: (reply) => (reply.kind === 'tokenize' ? reply.rows : []),
    sizeOf: ({ text, pair }) => lengthOf(text) + (pair?.length ?? 0),
    sizeMax: turnCharacters,
    callsMax,
  });
  const running = new JointJobs<Row, OnnxJob, OnnxReply, Float32Array>({
    pool,
    toJob: (rows) => ({ kind: 'run', rows }),
    toValues: (reply) => (reply.kind === 'run' ? reply.values : []),
    sizeOf,
    sizeMax: turnTokens,
    ...(model.evaluatesTogether && { kindOf: sizeOf }),
    callsMax,
    jobsMax,
  });
  const tokenize = keepRows((texts, signal, account) =>
    tokenizing.run(texts, signal, account).catch(toFault(signal)),
  );
  return {
    tokenize: (texts, signal, account = ownAccount) => tokenize(texts, signal, account),
    async run(rows, signal, account = ownAccount) {
      const values = await running.run(rows, signal, account).catch(toFault(signal));
      if (values.every((vector) => vector.every(Number.isFinite))) return values;
      throw new Fault('bad_gateway', 'The model in this process gave an unusable answer.');
    },
    close: () => pool.close(),
  };
}

/** What a container or the machine has. Unit: bytes. */
export function machineBytes(): number {
  // 0 where nothing constrains the process.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

const threadsMax = 4;
const threadBytes = 1_073_741_824;

/** Threads of a model: half the cores, of which the server and other programs have the rest, and no more than one for each GiB. */
export const threadsThatSuit = (cores = availableParallelism(), bytes = machineBytes()): number =>
  Math.max(1, Math.min(threadsMax, Math.floor(cores / 2), Math.floor(bytes / threadBytes)));

const sizeOf = (row: Row | undefined): number =>
  row === undefined ? 0 : row.ids.length + (row.option?.length ?? 0);

const lengthOf = (text: RowText['text']): number =>
  typeof text === 'string'
    ? text.length
    : text.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 1), 0);

/** Delay after which callers that find it busy should retry. Unit: ms. */
const busyMs = 2_000;

function toFault(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    signal.throwIfAborted();
    if (!(error instanceof JobError)) throw error;
    const isBusy = error.reason === 'busy';
    const message = isBusy
      ? 'The model in this process is busy.'
      : 'The model in this process could not evaluate.';
    throw new Fault('service_unavailable', message, {
      cause: error,
      ...(isBusy && { retryAfterMs: busyMs }),
    });
  };
}
