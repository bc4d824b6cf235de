import { preparedOnce } from '../../../../kernel/kit/prepared.ts';
import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { OnnxProblem, openBehind, openOnnxModel, type OnnxModel } from '../../../models/feature.ts';
import type { DecisionEngine, OpenedEngine } from '../../engine.ts';
import { modelDigest } from '../../file-digests.ts';
import { createDownEngine, withFault } from '../../in-process.ts';
import { adapters } from './adapters/index.ts';
import type { Reader } from './adapter.ts';
import { createAsking } from './asking.ts';

export interface OnnxDecisionOptions {
  /** A folder with a model, or the graph in it. */
  readonly path: string;
  /** Threads, each with weights of its own; what suits the machine by default, and for null. */
  readonly threads?: number | null;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
}

type Windowed = DecisionEngine & Required<Pick<DecisionEngine, 'countWindows'>>;

export interface OnnxEngine extends Windowed {
  /** Why the model cannot be used, in one line for an operator; null when it can. */
  readonly problem: string | null;
  /** What was opened, in one line for an operator. */
  readonly about?: string;
}

/** The engine at once, while its model is opened behind it. What is asked meanwhile waits for the model. */
export function startOnnxEngine(options: OnnxDecisionOptions): OpenedEngine {
  const version = preparedOnce(() => modelDigest(options.path));
  const { current, opened, report, close } = openBehind((signal) => openOnnxEngine({ ...options, signal }));
  return {
    name: 'onnx',
    vision: false,
    opened: report,
    health: () => current()?.health() ?? 'ok',
    countTokens: async (state, questions, signal) =>
      (await opened(signal)).countTokens(state, questions, signal),
    score: async (state, questions, signal, account) =>
      (await opened(signal)).score(state, questions, signal, account),
    countWindows: async (state, signal) => (await opened(signal)).countWindows(state, signal),
    fingerprint: async () => ({ model: await version() }),
    close,
  };
}

/**
 * Decisions by an encoder or classifier in ONNX form in this process. Never throws: with one that cannot be used the
 * engine is down, as `problem` says.
 */
export async function openOnnxEngine({
  path,
  threads = null,
  signal,
}: OnnxDecisionOptions): Promise<OnnxEngine> {
  try {
    const model = await openOnnxModel({ path, threads, ...(signal && { signal }) });
    try {
      const { adapter, reader } = readerOf(model);
      return { ...createEngine(model, reader), problem: null, about: aboutOf(path, model, adapter) };
    } catch (error) {
      await model.close();
      if (!(error instanceof OnnxProblem)) throw error;
      return createDownEngine('onnx', `${path}: ${error.message}`);
    }
  } catch (error) {
    return createDownEngine('onnx', error instanceof Error ? error.message : String(error));
  }
}

function readerOf(model: OnnxModel): { readonly adapter: string; readonly reader: Reader } {
  const adapter = adapters.find((one) => one.suits(model));
  if (adapter !== undefined) return { adapter: adapter.name, reader: adapter.open(model) };
  const labels = model.labels.join(', ') || 'none';
  throw new OnnxProblem(
    `no adapter asks a classifier with ${model.dimensions} outputs and the labels ${labels}`,
  );
}

function aboutOf(path: string, { runtime, tokensMax, memoryBytes }: OnnxModel, adapter: string): string {
  const size = `${tokensMax} tokens a row, ${Math.round(memoryBytes / 1_048_576)} MiB in ${runtime}`;
  return `${path}: asked by the adapter ${adapter}, ${size}; its temperatures are the adapter's, "nestor calibrate" fits them`;
}

function createEngine(model: OnnxModel, reader: Reader): Windowed {
  let isOpen = true;
  const asking = createAsking(model, reader);
  return {
    name: 'onnx',
    vision: false,
    health: () => (isOpen ? 'ok' : 'down'),
    countTokens: (state, questions, signal) =>
      withFault(asking.countTokens(state, questions, { signal, account: ownAccount }), signal),
    score: (state, questions, signal, account = ownAccount) =>
      withFault(asking.score(state, questions, { signal, account }), signal),
    countWindows: (state, signal) => asking.countWindows(state, { signal, account: ownAccount }),
    async close() {
      isOpen = false;
      await model.close();
    },
  };
}
