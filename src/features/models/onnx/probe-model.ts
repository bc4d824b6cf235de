import { moduleBeside } from '../../../kernel/kit/beside.ts';
import { askChild } from '../ask-child.ts';
import type { GraphKind } from './graph.ts';
import type { ModelFolder } from './model-folder.ts';
import { OnnxProblem } from './problem.ts';

/** What a model turned out to be. */
export interface ProbedModel {
  readonly kind: GraphKind;
  /** Name of the package that evaluates. */
  readonly runtime: string;
  /** Numbers of one row. */
  readonly dimensions: number;
  /** Memory that it takes once it has evaluated. Unit: bytes. */
  readonly memoryBytes: number;
  /** Rows of one length gave the same bytes together as alone. */
  readonly evaluatesTogether: boolean;
}

/** Opening takes a second or two; a machine may be busy. */
const timeoutMs = 60_000;
const heapMb = 512;

/** Opens a model and evaluates one row of it in a child process. Throws OnnxProblem. */
export async function probeModel(model: ModelFolder, signal?: AbortSignal): Promise<ProbedModel> {
  const entry = moduleBeside('probe', import.meta.url);
  // Settings may be longer than an argument; the form says what there is to know of them.
  const input = { ...model, settings: {} };
  const reply = await askChild<ProbedModel>({ entry, input, timeoutMs, heapMb, signal });
  if ('problem' in reply) throw new OnnxProblem(reply.problem);
  return reply.found;
}
