import type { Clock } from '../../../kernel/kit/clock.ts';
import { compareExamples, exampleTexts } from '../example.ts';
import { openOnnxModel } from '../onnx/open-onnx-model.ts';
import { probeFile } from '../providers/local/probe-file.ts';
import type { InstalledModel } from './find.ts';
import { inspect, reasonOf, type FindAdapter } from './inspect.ts';
import { OnnxProblem } from '../onnx/problem.ts';
import { LocalModelProblem } from '../providers/local/engine.ts';

export interface Trial {
  readonly openMs: number;
  /** Of the example, once the model was open. */
  readonly answerMs: number;
  /** Unit: bytes. */
  readonly memoryBytes: number;
  /** What it answered, in one line. */
  readonly answer: string;
}

/** What a model is tried with. */
export interface TrialTools {
  readonly findAdapter: FindAdapter;
  /** Asks an engine over a model for an example, and says in words what it answered. */
  readonly decide: (path: string, engine: 'local' | 'onnx') => Promise<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Opens a model and asks it for an example of what it is for. Resolves to the problem of one that cannot be used. */
export async function tryModel(
  model: InstalledModel,
  tools: TrialTools,
): Promise<Trial | { readonly problem: string }> {
  const { does, problem } = await inspect(model, tools.findAdapter);
  if (problem !== null) return { problem };
  try {
    if (model.form === 'gguf') return await tryFile(model, tools);
    return await tryGraph(model, does.includes('embeds'), does.includes('decides'), tools);
  } catch (error) {
    tools.signal.throwIfAborted();
    if (error instanceof OnnxProblem) return { problem: reasonOf(error) };
    if (error instanceof LocalModelProblem) return { problem: error.message.replace(`${model.path}: `, '') };
    throw error;
  }
}

/** One that decides alone has nothing to say to its child process, which only opens it. */
async function tryFile({ path }: InstalledModel, { clock, decide, signal }: TrialTools): Promise<Trial> {
  const probed = await probeFile(path, signal);
  if (probed.kind !== 'decision') return probed;
  const since = createWatch(clock);
  const answer = await decide(path, 'local');
  return { ...probed, answer, answerMs: since() };
}

async function tryGraph(
  { path }: InstalledModel,
  embeds: boolean,
  decides: boolean,
  { clock, signal, decide }: TrialTools,
): Promise<Trial> {
  const since = createWatch(clock);
  const model = await openOnnxModel({ path, signal });
  try {
    const { sample } = model;
    const texts = sample === null ? exampleTexts.map((text) => ({ text, pair: null })) : [sample];
    const read = await model.tokenize(texts, signal);
    const rows = model.kind === 'late' ? read.map((row) => ({ ...row, option: row.ids })) : read;
    // The thread opens the model with its first row.
    await model.run(rows.slice(0, 1), signal);
    const openMs = since();
    const values = await model.run(rows, signal);
    const answerMs = since() - openMs;
    const answers = [
      ...(embeds ? [compareExamples(values)] : []),
      ...(decides ? [await decide(path, 'onnx')] : []),
    ];
    return { openMs, answerMs, memoryBytes: model.memoryBytes, answer: answers.join('; ') };
  } finally {
    await model.close();
  }
}

function createWatch(clock: Clock): () => number {
  const startedMs = clock.monotonic();
  return () => Math.round(clock.monotonic() - startedMs);
}
