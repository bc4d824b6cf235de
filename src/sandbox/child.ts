import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { memoryOf } from './memory.ts';
import type { SandboxLimits } from './runner.ts';

export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** An account without rights, where this process is root. */
  readonly uid?: number;
  /** What the child is told on its standard input. */
  readonly input: Uint8Array;
}

/** How a child ended and what it wrote, all of it made by code of strangers. */
export interface ChildOutcome {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What came on descriptor 3; null when it was more than allowed. */
  readonly report: Buffer | null;
  /** Why it was killed; null when it ended by itself. */
  readonly killed: 'time' | 'memory' | 'output' | null;
  readonly durationMs: number;
}

/** A child that writes so many times what is kept is killed: draining it costs more than it is worth. */
const floodFactor = 256;
const memoryCheckMs = 100;
/** Of descriptor 3, beside the files themselves. */
const reportHeadBytesMax = 1_048_576;

/**
 * Runs a child that nobody trusts. It gets no environment; it is killed with everything that it started when its time
 * is over, when its processes together hold too much, when it floods, or when the signal aborts.
 */
export async function runChild(
  { file, args, uid, input }: ChildCommand,
  limits: SandboxLimits,
  signal: AbortSignal,
): Promise<ChildOutcome> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: {},
    cwd: '/',
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let killed: ChildOutcome['killed'] = null;
  const kill = (reason: ChildOutcome['killed']) => {
    killed ??= reason;
    killGroup(child);
  };
  const onAbort = () => kill(null);
  const timer = setTimeout(() => kill('time'), limits.wallMs);
  const watch = setInterval(() => {
    if (child.pid !== undefined && memoryOf(child.pid) > limits.memoryBytesMax) kill('memory');
  }, memoryCheckMs);
  signal.addEventListener('abort', onAbort, { once: true });
  const flood = () => kill('output');
  const [, stdout, stderr, third] = child.stdio as [Writable, Readable, Readable, Readable];
  const outputs = [
    new Capture(stdout, limits.outputBytesMax, flood),
    new Capture(stderr, limits.outputBytesMax, flood),
  ];
  const report = new Capture(third, limits.filesBytesMax + reportHeadBytesMax, flood);
  try {
    const ended = closed(child);
    // A child that dies early breaks the pipe, which is no failure of ours.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const { exitCode, signal: by } = await ended;
    signal.throwIfAborted();
    return {
      exitCode,
      signal: by,
      stdout: outputs[0]?.text() ?? '',
      stderr: outputs[1]?.text() ?? '',
      report: report.isCut ? null : report.bytes(),
      killed,
      durationMs: performance.now() - startedAt,
    };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', onAbort);
    killGroup(child);
  }
}

function closed(
  child: ChildProcess,
): Promise<{ readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
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
