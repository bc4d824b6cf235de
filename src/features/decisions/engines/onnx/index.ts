import { Fault } from '../../../../kernel/faults.ts';
import { raceSignal } from '../../../../kernel/kit/abort.ts';
import { ownAccount, type Caller } from '../../../../kernel/kit/caller.ts';
import { openOnnxModel, type OnnxModel } from '../../../models/feature.ts';
import type { DecisionEngine, NormalizedQuestion, OpenedEngine, State } from '../../engine.ts';
import { adapters } from './adapters/index.ts';
import type { Reader } from './adapter.ts';
import { windowsOf } from './windows.ts';

export interface OnnxDecisionOptions {
  /** A folder with a model, or the graph in it. */
  readonly path: string;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
}

export interface OnnxEngine extends Required<DecisionEngine> {
  /** Why the model cannot be used, in one line for an operator; null when it can. */
  readonly problem: string | null;
  /** What was opened, in one line for an operator. */
  readonly about?: string;
}

/** Beyond, reading would take longer than a request may. */
const windowsMax = 256;

/** The engine at once, while its model is opened behind it. What is asked meanwhile waits for the model. */
export function startOnnxEngine(options: OnnxDecisionOptions): OpenedEngine {
  const closing = new AbortController();
  let engine: OnnxEngine | null = null;
  const opening = openOnnxEngine({ ...options, signal: closing.signal }).then((one) => (engine = one));
  const opened = (signal: AbortSignal) => raceSignal(opening, signal);
  return {
    name: 'onnx',
    vision: false,
    // One that was closed before has nothing to say.
    opened: opening.then((one) => (closing.signal.aborted ? {} : one)),
    health: () => engine?.health() ?? 'ok',
    countTokens: async (state, questions, signal) =>
      (await opened(signal)).countTokens(state, questions, signal),
    score: async (state, questions, signal, account) =>
      (await opened(signal)).score(state, questions, signal, account),
    countWindows: async (state, signal) => (await opened(signal)).countWindows(state, signal),
    async close() {
      closing.abort();
      await (await opening).close();
    },
  };
}

/**
 * Decisions by an encoder or classifier in ONNX form in this process. Never throws: with one that cannot be used the
 * engine is down, as `problem` says.
 */
export async function openOnnxEngine({ path, signal }: OnnxDecisionOptions): Promise<OnnxEngine> {
  try {
    const model = await openOnnxModel({ path, ...(signal && { signal }) });
    const adapter = adapters.find((one) => one.suits(model));
    if (adapter !== undefined)
      return {
        ...createEngine(model, adapter.open(model)),
        problem: null,
        about: aboutOf(path, model, adapter.name),
      };
    await model.close();
    const labels = model.labels.join(', ') || 'none';
    return createDownEngine(
      `${path}: no adapter asks a classifier with ${model.dimensions} outputs and the labels ${labels}`,
    );
  } catch (error) {
    return createDownEngine(error instanceof Error ? error.message : String(error));
  }
}

function aboutOf(path: string, { runtime, tokensMax, memoryBytes }: OnnxModel, adapter: string): string {
  const size = `${tokensMax} tokens a row, ${Math.round(memoryBytes / 1_048_576)} MiB in ${runtime}`;
  return `${path}: asked by the adapter ${adapter}, ${size}; its temperatures are the adapter's, "nestor calibrate" fits them`;
}

function createEngine(model: OnnxModel, reader: Reader): Required<DecisionEngine> {
  let isOpen = true;
  const known = new WeakMap<State, readonly string[]>();

  const countOf = (texts: readonly string[], { signal, account }: Caller) =>
    model
      .tokenize(
        texts.map((text) => ({ text, pair: null })),
        signal,
        account,
      )
      .then((rows) => rows.map(({ ids }) => ids.length));

  async function windows(state: State, caller: Caller): Promise<readonly string[]> {
    const cut = known.get(state);
    if (cut !== undefined) return cut;
    const { stateTokensMax: wholeMax, windowTokensMax: tokensMax } = reader;
    const made = await windowsOf(state.text, { wholeMax, tokensMax }, (texts) => countOf(texts, caller));
    if (made.length > windowsMax)
      throw new Fault(
        'context_length_exceeded',
        `The state needs ${made.length} windows of ${tokensMax} tokens; the local model reads at most ${windowsMax}`,
        { param: 'state' },
      );
    known.set(state, made);
    return made;
  }

  async function countTokens(state: State, questions: readonly NormalizedQuestion[], caller: Caller) {
    const texts = questions.flatMap((question) => reader.textsOf(question));
    const asked = await countOf(texts, caller);
    const longest = Math.max(0, ...asked);
    if (longest > reader.textTokensMax)
      throw new Fault(
        'context_length_exceeded',
        `An option with its question has ${longest} tokens; the local model reads at most ${reader.textTokensMax}`,
        { param: 'questions' },
      );
    const read = await countOf(await windows(state, caller), caller);
    return [...read, ...asked].reduce((sum, tokens) => sum + tokens, 0);
  }

  return {
    name: 'onnx',
    vision: false,
    health: () => (isOpen ? 'ok' : 'down'),
    countTokens: (state, questions, signal) =>
      withFault(countTokens(state, questions, { signal, account: ownAccount }), signal),
    async score(state, questions, signal, account = ownAccount) {
      const caller = { signal, account };
      const scored = windows(state, caller).then((cut) => reader.score(cut, questions, caller));
      return withFault(scored, signal);
    },
    async countWindows(state, signal) {
      const { length: total } = await windows(state, { signal, account: ownAccount });
      return { total, read: Math.min(total, reader.windowsReadMax) };
    },
    async close() {
      isOpen = false;
      await model.close();
    },
  };
}

/** Turns errors of the thread, or of a model closed meanwhile, into a Fault. */
async function withFault<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault || signal.aborted) throw error;
    throw new Fault('service_unavailable', 'The local model could not evaluate.', { cause: error });
  }
}

function createDownEngine(problem: string): OnnxEngine {
  const refuse = (): Promise<never> =>
    Promise.reject(new Fault('service_unavailable', 'The local model could not be loaded.'));
  return {
    name: 'onnx',
    vision: false,
    problem,
    health: () => 'down',
    countTokens: refuse,
    score: refuse,
    countWindows: refuse,
    close: () => Promise.resolve(),
  };
}
