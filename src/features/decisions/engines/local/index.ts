import { errorMessage } from '../../../../kernel/kit/errors.ts';
import { preparedOnce } from '../../../../kernel/kit/prepared.ts';
import { Fault } from '../../../../kernel/faults.ts';
import {
  LocalModelProblem,
  openLocalModel,
  type LocalModel,
  type LocalModelOptions,
  type NextToken,
} from '../../../models/feature.ts';
import type { DecisionEngine, State, NormalizedQuestion } from '../../engine.ts';
import { modelDigest } from '../../file-digests.ts';
import { createDownEngine, withFault } from '../../in-process.ts';
import { scoreInOrders } from '../../order.ts';
import { distributionOf, finalistsOf, labelMassOf } from './passes.ts';
import { createPrompts, type AskedSuffix, type Prompts, type QuestionPrompt } from './prompts.ts';
import { createTrainedPrompts } from './trained-prompts.ts';

interface LocalEngineOptions extends LocalModelOptions {
  /** Opens the file, or hands out the model that others in this process use already. */
  readonly open?: typeof openLocalModel;
  /** Called for each evaluation with the share of the next-token distribution that fell on the labels, in (0,1]. */
  readonly onLabelMass?: (mass: number) => void;
}

export interface LocalEngine extends DecisionEngine {
  /** Why the model could not be loaded, in one line for an operator; null when it could. */
  readonly problem: string | null;
  /** Threads that evaluate; 0 without a model. */
  readonly threads: number;
  /** Tokens evaluated since the start, without those answered from the cache. */
  evaluatedTokens(): number;
}

/**
 * Any chat GGUF in this process. Each question is one evaluation behind the state, which stays warm for later
 * requests; the answer is the softmax over one label token per option. Never throws: with a file that cannot be
 * used the engine is down and says why in `problem`.
 */
export async function openLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const { open = openLocalModel, onLabelMass = () => {}, ...file } = options;
  try {
    const model = await open(file);
    try {
      const version = preparedOnce(() => modelDigest(file.path));
      return {
        ...createEngine(model, promptsFor(model), onLabelMass),
        fingerprint: async () => ({ model: await version() }),
      };
    } catch (error) {
      await model.close();
      throw new LocalModelProblem(file.path, errorMessage(error), error);
    }
  } catch (error) {
    const down = createDownEngine('local', errorMessage(error));
    return { ...down, threads: 0, evaluatedTokens: () => 0 };
  }
}

function promptsFor(model: LocalModel): Prompts {
  return model.decision === null ? createPrompts(model) : createTrainedPrompts(model, model.decision);
}

function createEngine(model: LocalModel, prompts: Prompts, onLabelMass: (mass: number) => void): LocalEngine {
  let open = true;

  const score: DecisionEngine['score'] = async (state, questions, signal, account) => {
    const read = async (prefix: readonly number[], suffixes: readonly AskedSuffix[]) => {
      checkLength(prefix, suffixes, model.contextTokens);
      const found = await model.read({ prefix, suffixes }, signal, account);
      return found.map((next, index) => {
        onLabelMass(labelMassOf(checked(next)));
        return { ...next, logits: suffixes[index]?.toScores?.(next.logits) ?? next.logits };
      });
    };
    signal.throwIfAborted();
    const prefix = await prompts.prefixOf(state, signal);
    const asked = await promptsOf(prompts, state, questions, signal);
    const allSuffixes = asked.flatMap(({ suffixes }) => suffixes);
    const first = await read(prefix, allSuffixes);
    let from = 0;
    const answers = asked.map(({ passes }) => first.slice(from, (from += passes.length)));
    const grouped = asked.flatMap((prompt, index) =>
      prompt.passes.length > 1 ? [{ prompt, answer: answers[index] ?? [] }] : [],
    );
    const finals: AskedSuffix[] = [];
    for (const { prompt, answer } of grouped) {
      finals.push(await prompts.suffixOf(state, prompt.question, finalistsOf(prompt.passes, answer), signal));
    }
    const last = finals.length === 0 ? [] : await read(prefix, finals);
    const final = new Map(grouped.map(({ prompt }, index) => [prompt, last[index]]));
    return asked.map((prompt, index) =>
      distributionOf(prompt.passes, answers[index] ?? [], final.get(prompt)),
    );
  };

  const { orders } = prompts;
  const scoreAsTaught = orders === undefined ? score : scoreInOrders(score, orders);

  return {
    name: 'local',
    vision: false,
    readsExamples: model.decision === null,
    problem: null,
    threads: model.threads,
    health: () => (open ? 'ok' : 'down'),
    evaluatedTokens: () => model.evaluated(),
    countTokens: (state, questions, signal) =>
      withFault(countTokens(prompts, state, questions, signal), signal),
    score: (state, questions, signal, account) =>
      withFault(scoreAsTaught(state, questions, signal, account), signal),
    async close() {
      open = false;
      await model.close();
    },
  };
}

async function countTokens(
  prompts: Prompts,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
) {
  signal.throwIfAborted();
  let total = (await prompts.prefixOf(state, signal)).length;
  for (const { question, passes, suffixes } of await promptsOf(prompts, state, questions, signal)) {
    for (const { tokens } of suffixes) total += tokens.length;
    // The finalists are not known yet; the first option of each group stands in for them.
    const first = passes.flatMap((pass) => pass.slice(0, 1));
    if (passes.length > 1) total += (await prompts.suffixOf(state, question, first, signal)).tokens.length;
  }
  return total;
}

async function promptsOf(
  prompts: Prompts,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
) {
  const asked: QuestionPrompt[] = [];
  for (const question of questions) asked.push(await prompts.promptOf(state, question, signal));
  return asked;
}

/** Throws Fault `context_length_exceeded`: input that is too long is refused, never cut. */
function checkLength(prefix: readonly number[], suffixes: readonly AskedSuffix[], most: number): void {
  const longest = prefix.length + Math.max(0, ...suffixes.map(({ tokens }) => tokens.length));
  if (longest <= most) return;
  throw new Fault(
    'context_length_exceeded',
    `Input length (${longest}) exceeds the local model's maximum context length (${most})`,
    { param: 'state' },
  );
}

function checked(next: NextToken): NextToken {
  if (Number.isFinite(next.maxLogit + next.totalWeight) && next.logits.every(Number.isFinite)) return next;
  throw new Fault('bad_gateway', 'The local model gave an unusable answer.');
}
