import { Fault } from '../../kernel/faults.ts';
import { withoutExamples } from './question-examples.ts';
import type { DecisionEngine, State, StateWindows, Distribution, NormalizedQuestion } from './engine.ts';

export interface Decision {
  /** One per question, in order. */
  readonly distributions: readonly Distribution[];
  /** Name of the engine that answered. */
  readonly engine: string;
  /** Evaluated tokens: the state once, each question once, the images. */
  readonly inputTokens: number;
  /** How a state was read that is longer than the engine reads at once. */
  readonly windows?: StateWindows;
  /** Questions that rules answered; absent where they answered none. */
  readonly ruled?: number;
  /** Examples in the questions counted; absent where they did not. */
  readonly readsExamples?: true;
}

/** Input that reaches this many tokens is refused, never cut. */
export interface DecideLimits {
  readonly inputTokensMax: number;
}

export interface DecideOptions {
  /** Names the state in what is thrown. */
  readonly param?: string;
  /** Account that asks; the server itself without it. */
  readonly account?: string;
}

/**
 * Answers questions about a state with one engine. A question with one option needs no evaluation and costs nothing.
 * Throws Fault `images_unsupported`, `context_length_exceeded`, `bad_gateway` and whatever the engine throws.
 */
export async function decide(
  engine: DecisionEngine,
  limits: DecideLimits,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
  { param = 'state', account }: DecideOptions = {},
): Promise<Decision> {
  if (state.images.length > 0 && !engine.vision) throw new Fault('images_unsupported', undefined, { param });
  const readsExamples = engine.readsExamples === true;
  const open = questions
    .filter((question) => question.options.length > 1)
    .map((question) => (readsExamples ? question : withoutExamples(question)));
  if (open.length === 0) {
    return { distributions: questions.map(() => [1]), engine: engine.name, inputTokens: 0 };
  }
  const inputTokens = await countInput(engine, limits, state, open, signal, param);
  const scored = await engine.score(state, open, signal, account);
  if (scored.length !== open.length) throw unusable(`${scored.length} answers to ${open.length} questions`);
  const answers = scored[Symbol.iterator]();
  const distributions = questions.map((question) => {
    if (question.options.length === 1) return [1];
    return checked(answers.next().value ?? [], question);
  });
  const windows = await engine.countWindows?.(state, signal);
  const ruled = engine.countRuled?.(state, open) ?? 0;
  const answeredBy = engine.answeredBy?.(state) ?? engine.name;
  return {
    distributions,
    engine: answeredBy,
    inputTokens,
    ...(readsExamples && answeredBy === engine.name && { readsExamples }),
    ...(windows !== undefined && windows.total > 1 && { windows }),
    ...(ruled > 0 && { ruled }),
  };
}

async function countInput(
  engine: DecisionEngine,
  { inputTokensMax }: DecideLimits,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
  param: string,
): Promise<number> {
  const text = await engine.countTokens(state, questions, signal);
  const vision = state.images.reduce((sum, image) => sum + image.tokens, 0);
  const total = text + vision;
  if (total < inputTokensMax) return total;
  const message =
    vision === 0
      ? `Input length (${total}) exceeds or equals model's maximum context length (${inputTokensMax})`
      : `Total input tokens (${text} text + ${vision} vision = ${total}) exceeds maximum context length (${inputTokensMax})`;
  throw new Fault('context_length_exceeded', message, { param });
}

/** Throws Fault `bad_gateway` for an answer that is no distribution: engines are not trusted. */
function checked(distribution: Distribution, question: NormalizedQuestion): Distribution {
  const sum = distribution.reduce((total, p) => total + p, 0);
  const fits = distribution.length === question.options.length && distribution.every((p) => p >= 0 && p <= 1);
  if (!fits || Math.abs(sum - 1) > 1e-9) throw unusable('what the engine returned is no distribution');
  return distribution;
}

function unusable(reason: string): Fault {
  return new Fault('bad_gateway', 'The decision engine gave an unusable answer.', {
    cause: new Error(reason),
  });
}
