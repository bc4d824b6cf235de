import { OnnxProblem } from '../onnx/problem.ts';
import { openOnnxModel, type OnnxModel } from '../onnx/open-onnx-model.ts';
import { GgufProblem, readGgufHeader } from '../providers/local/gguf.ts';
import { kindOf } from '../providers/local/probe-file.ts';
import type { InstalledModel } from './find.ts';

/** What a model can be used for. */
export type Ability = 'embeds' | 'decides' | 'generates';

export interface Inspected {
  readonly does: readonly Ability[];
  /** What asks it for decisions: the engine `local`, or an adapter of the engine `onnx`; null where nothing does. */
  readonly decidesWith: string | null;
  /** Why it cannot be used, in one line; null when it can. */
  readonly problem: string | null;
}

/** Name of the adapter that asks a model in ONNX form for decisions; null where none can. */
export type FindAdapter = (model: OnnxModel) => Promise<string | null>;

/**
 * Finds out what a model is by what is in it: the header of a GGUF file, or the graph, which a child process opens.
 * Rejects with the signal's reason.
 */
export async function inspect(
  model: InstalledModel,
  findAdapter: FindAdapter,
  signal?: AbortSignal,
): Promise<Inspected> {
  try {
    if (model.form === 'part') return unusable('a download that was broken off; the same pull continues it');
    return model.form === 'gguf' ? await inspectFile(model) : await inspectGraph(model, findAdapter, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GgufProblem) return unusable(error.message);
    if (error instanceof OnnxProblem) return unusable(reasonOf(error));
    throw error;
  }
}

const unusable = (problem: string): Inspected => ({ does: [], decidesWith: null, problem });

/** Without the path, which stands beside it. */
export const reasonOf = ({ message, cause }: OnnxProblem): string =>
  cause instanceof OnnxProblem ? cause.message : message;

async function inspectFile({ path }: InstalledModel): Promise<Inspected> {
  const kind = kindOf(await readGgufHeader(path));
  if (kind === 'embedding') return { does: ['embeds'], decidesWith: null, problem: null };
  return {
    does: kind === 'chat' ? ['decides', 'generates'] : ['decides'],
    decidesWith: 'local',
    problem: null,
  };
}

async function inspectGraph(
  { path }: InstalledModel,
  findAdapter: FindAdapter,
  signal: AbortSignal | undefined,
): Promise<Inspected> {
  const model = await openOnnxModel({ path, ...(signal && { signal }) });
  await model.close();
  const decidesWith = await findAdapter(model);
  const embeds = model.kind === 'encoder' ? (['embeds'] as const) : [];
  if (decidesWith !== null) return { does: [...embeds, 'decides'], decidesWith, problem: null };
  if (embeds.length > 0) return { does: embeds, decidesWith, problem: null };
  const labels = model.labels.join(', ') || 'none';
  return unusable(`no adapter asks a classifier with ${model.dimensions} outputs and the labels ${labels}`);
}
