import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { Fault } from '../../kernel/faults.ts';
import type { SandboxLimits } from './runner.ts';
import { exactMemoryOf, usageOf, type MemoryFolder } from './usage.ts';

export const systemFolders = ['/usr/bin', '/bin'] as const;

/** Where a program of the system lies; null where it is not installed. What lies elsewhere may be anybody's. */
export function findProgram(name: string, folders: readonly string[] = systemFolders): string | null {
  return folders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? null;
}

/** "nobody" everywhere: an account that owns nothing, for what a server of root starts. */
export const unprivileged: { readonly uid?: number } = process.getuid?.() === 0 ? { uid: 65_534 } : {};

interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** An account without rights, where this process is root. */
  readonly uid?: number;
  /** Standard input of the child. */
  readonly input: Uint8Array;
  /** Descriptor 4: bytes to read to the end, or an open file. */
  readonly extra?: Uint8Array | number;
  readonly memoryFolders?: readonly MemoryFolder[];
  /** Processes that start the code, beside those of the code. */
  readonly processesBeside: number;
}

/** How a child ended and what it wrote, all of it made by code of strangers. */
export interface ChildOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes of descriptor 3; null when there were more than allowed. */
  readonly report: Buffer | null;
  /** Why it was killed; null when it ended by itself. */
  readonly killed: 'time' | 'memory' | 'output' | 'processes' | null;
  readonly durationMs: number;
}

const checkMs = 100;
/** Limit of descriptor 3, beside the files themselves. */
const reportHeadBytesMax = 1_048_576;
/** Time to drain the pipes of a dead child. */
const drainMs = 5_000;
/** The server goes first; what the child starts inherits it. */
const niceness = 5;

/**
 * Runs a child that nobody trusts. It gets no environment; it is killed with everything that it started when its time
 * is over, when its processes together use too much, when it floods, or when the signal aborts.
 */
export async function runChild(
  command: ChildCommand,
  limits: SandboxLimits,
  signal: AbortSignal,
): Promise<ChildOutcome> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const child = start(command);
  const ended = closed(child);
  let killed: ChildOutcome['killed'] = null;
  const kill = (reason: ChildOutcome['killed']) => {
    killed ??= reason;
    killGroup(child);
  };
  const onAbort = () => kill(null);
  const timer = setTimeout(() => kill('time'), limits.wallMs);
  const watch = setInterval(() => {
    const reason = exceeded(child, command, limits);
    if (reason !== null) kill(reason);
  }, checkMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { stdout, stderr, report } = capture(child, command, limits, () => kill('output'));
    const by = await ended;
    signal.throwIfAborted();
    return {
      stdout: stdout.text(),
      stderr: stderr.text(),
      report: report.isCut ? null : report.bytes(),
      // The kernel was faster than the watch.
      killed: killed ?? (by === 'SIGXCPU' ? 'time' : null),
      durationMs: performance.now() - startedAt,
    };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', onAbort);
    killGroup(child);
  }
}

function start({ file, args, uid, extra }: ChildCommand): ChildProcess {
  const child = spawn(file, args, {
    stdio: [
      'pipe',
      'pipe',
      'pipe',
      'pipe',
      ...(extra === undefined ? [] : [typeof extra === 'number' ? extra : ('pipe' as const)]),
    ],
    env: {},
    cwd: '/',
    detached: true,
    windowsHide: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  if (child.pid !== undefined) yieldToOthers(child.pid);
  return child;
}

/** When the machine runs out of processor time or memory, code of strangers goes before the server does. */
function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // Not on this system, or the child is gone. The limits hold without it.
  }
}

/** A stream that writes this many times the bytes that are kept is not worth draining. */
const floodFactor = 256;

/** The beginning of a stream; the rest is read and dropped, so that nobody waits for a full pipe. */
class Capture {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  #seen = 0;

  constructor(stream: Readable, bytesMax: number, onFlood: () => void) {
    this.#bytesMax = bytesMax;
    stream.on('data', (chunk: Buffer) => {
      const room = bytesMax - this.#seen;
      this.#seen += chunk.length;
      if (room > 0) this.#chunks.push(chunk.subarray(0, room));
      if (this.#seen > bytesMax * floodFactor) onFlood();
    });
    stream.on('error', () => {});
  }

  get isCut(): boolean {
    return this.#seen > this.#bytesMax;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    const text = this.bytes().toString('utf8');
    return this.isCut ? `${text}\n[${this.#seen - this.#bytesMax} more bytes were dropped]` : text;
  }
}

function capture(
  child: ChildProcess,
  { input, extra }: ChildCommand,
  limits: SandboxLimits,
  flood: () => void,
) {
  send(child.stdin, input);
  if (typeof extra === 'object') send(child.stdio[4], extra);
  const { stdout, stderr } = child;
  const third = child.stdio[3];
  if (stdout === null || stderr === null || !(third instanceof Readable)) throw cannotStart(undefined);
  return {
    stdout: new Capture(stdout, limits.outputBytesMax, flood),
    stderr: new Capture(stderr, limits.outputBytesMax, flood),
    report: new Capture(third, limits.filesBytesMax + reportHeadBytesMax, flood),
  };
}

function send(stream: unknown, bytes: Uint8Array): void {
  if (!(stream instanceof Writable)) throw cannotStart(undefined);
  // A child that dies early breaks the pipe; its end is reported elsewhere.
  stream.on('error', () => {});
  stream.end(bytes);
}

function cannotStart(cause: unknown): Fault {
  return new Fault('service_unavailable', 'The sandbox cannot be started now, please try again later.', {
    cause,
  });
}

/** Settles when the child is dead and its pipes are read, with the signal that ended it. */
function closed(child: ChildProcess): Promise<NodeJS.Signals | null> {
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.Signals | null>();
  // Read by nobody where the start fails at once.
  promise.catch(() => {});
  child.once('error', (error) => reject(cannotStart(error)));
  child.once('close', (_, by) => resolve(by));
  child.once('exit', () => {
    // A process that holds a pipe of the dead child open must not delay the answer.
    const drain = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
    }, drainMs);
    child.once('close', () => clearTimeout(drain));
  });
  return promise;
}

function exceeded(
  { pid }: ChildProcess,
  { memoryFolders, processesBeside }: ChildCommand,
  limits: SandboxLimits,
): ChildOutcome['killed'] {
  if (pid === undefined) return null;
  const { memoryBytes, cpuMs, processes } = usageOf(pid, memoryFolders);
  if (cpuMs > limits.cpuMs) return 'time';
  if (processes > limits.processesMax + processesBeside) return 'processes';
  if (memoryBytes <= limits.memoryBytesMax) return null;
  return exactMemoryOf(pid, memoryFolders) > limits.memoryBytesMax ? 'memory' : null;
}

/** The child leads a group of its own; what it starts elsewhere dies with its namespace. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
