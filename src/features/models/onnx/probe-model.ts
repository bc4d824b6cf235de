import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleBeside } from '../../../kernel/kit/beside.ts';
import type { GraphKind } from './graph.ts';
import { OnnxProblem, type ModelFolder } from './model-folder.ts';

/** What a model turned out to be. */
export interface ProbedModel {
  readonly kind: GraphKind;
  /** Name of the package that evaluates. */
  readonly runtime: string;
  /** Numbers of one row. */
  readonly dimensions: number;
  /** Memory that it takes once it has evaluated. Unit: bytes. */
  readonly memoryBytes: number;
}

/** What the child process writes. */
export type Probed = { readonly found: ProbedModel } | { readonly problem: string };

/** Opening takes a second or two; a machine may be busy. */
const timeoutMs = 60_000;
const heapMb = 512;
const outputBytesMax = 65_536;

/**
 * Opens a model and evaluates one row of it in a child process, so that a broken or hostile file ends that one and never
 * the server. Throws OnnxProblem.
 */
export async function probeModel(model: ModelFolder, signal?: AbortSignal): Promise<ProbedModel> {
  const entry = fileURLToPath(moduleBeside('probe', import.meta.url));
  const args = [`--max-old-space-size=${heapMb}`, '--no-warnings', entry, JSON.stringify(model)];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const limits = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: outputBytesMax,
    ...(signal && { signal }),
  } as const;
  execFile(process.execPath, args, { ...limits, env: {} }, (error, stdout) => {
    if (error === null) resolve(stdout);
    else reject(new OnnxProblem(endingOf(error)));
  });
  const probed = parse(await promise);
  if ('problem' in probed) throw new OnnxProblem(probed.problem);
  return probed.found;
}

function endingOf({
  killed,
  signal,
  code,
}: Error & { killed?: boolean; signal?: unknown; code?: unknown }): string {
  if (killed === true) return `opening it took longer than ${timeoutMs / 1_000} s`;
  return `the process that opened it ended with ${String(signal ?? code)}`;
}

function parse(output: string): Probed {
  try {
    return JSON.parse(output) as Probed;
  } catch {
    throw new OnnxProblem('the process that opened it gave no answer');
  }
}
