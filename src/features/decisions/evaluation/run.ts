import { inLanes } from '../../../kernel/kit/lanes.ts';
import { choiceOf } from '../answer.ts';
import { decide, type Decision } from '../decide.ts';
import type { DecisionEngine, Distribution, NormalizedQuestion } from '../engine.ts';
import { negate } from '../negation.ts';
import { reorder } from '../order.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Case } from './examples.ts';
import type { AnswerPair, Outcome } from './metrics.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';

export interface Trial extends Outcome {
  readonly question: NormalizedQuestion;
  readonly kind: NormalizedQuestion['kind'];
  readonly source: string;
  /** The right answer and the chosen one, in words. */
  readonly answers: AnswerPair;
  /** Evaluated tokens of the question as it stands, with its state. */
  readonly inputTokens: number;
  /** How often it was asked: once, and once more reversed or denied. */
  readonly asks: number;
  /** Latency of a request with this question alone. Unit: ms. */
  readonly latencyMs: number;
  /** Whether the reversed order of its options changed the choice; null where that was not asked. */
  readonly flipped: boolean | null;
  /** Probability of yes to the denied question; null where that was not asked. */
  readonly denied: number | null;
}

export interface RunOptions {
  readonly concurrency: number;
  /** Whether choices are asked reversed and nouls denied. */
  readonly extraPasses: boolean;
  readonly inputTokensMax: number;
  readonly clock: Clock;
  /** Aborting ends the run early; what was answered until then is kept. */
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, failed: number) => void;
}

export interface Run {
  /** In the order of the cases; without those that failed or were not reached. */
  readonly trials: readonly Trial[];
  readonly failed: number;
  readonly firstFailure: string | null;
  /** False when the run was aborted before the last case. */
  readonly complete: boolean;
  readonly durationMs: number;
}

/** Consecutive failures after which the run gives up. */
const failuresInARowMax = 10;

/**
 * Asks every case, one question a request, several requests at once. A case that the engine fails on is counted and
 * left out. Throws ExampleError when the engine fails again and again.
 */
export async function runCases(
  engine: DecisionEngine,
  cases: readonly Case[],
  options: RunOptions,
): Promise<Run> {
  const { clock, signal, concurrency } = options;
  const startedMs = clock.monotonic();
  const trials: (Trial | undefined)[] = cases.map(() => undefined);
  let [done, failed, inARow] = [0, 0, 0];
  let firstFailure: string | null = null;
  await inLanes(cases.entries(), { count: concurrency, signal }, async ([index, next], ending) => {
    try {
      trials[index] = await runCase(engine, next, options, ending);
      inARow = 0;
    } catch (error) {
      if (ending.aborted) return;
      if (!(error instanceof Fault)) throw error;
      failed++;
      firstFailure ??= `${next.source}: ${error.code}: ${error.message}`;
      if (++inARow >= failuresInARowMax) throw new ExampleError(`the engine keeps failing: ${firstFailure}`);
    }
    options.onProgress?.(++done, failed);
  });
  return {
    trials: trials.filter((trial) => trial !== undefined),
    failed,
    firstFailure,
    complete: done === cases.length,
    durationMs: clock.monotonic() - startedMs,
  };
}

async function runCase(
  engine: DecisionEngine,
  { state, question, right, source }: Case,
  { inputTokensMax, extraPasses, clock }: RunOptions,
  signal: AbortSignal,
): Promise<Trial> {
  const ask = (asked: NormalizedQuestion): Promise<Decision> =>
    decide(engine, { inputTokensMax }, state, [asked], signal);
  const startedMs = clock.monotonic();
  const decision = await ask(question);
  const latencyMs = clock.monotonic() - startedMs;
  const { inputTokens } = decision;
  const probabilities = firstOf(decision);
  const chosen = chosenOf(question, probabilities);
  const nameOf = (option: number) => question.options[option]?.name ?? '';
  const answers = { right: nameOf(right), chosen: nameOf(chosen) };
  const { kind } = question;
  const trial = { question, kind, source, answers, probabilities, right, chosen, latencyMs, inputTokens };
  const extra = extraPasses && question.options.length > 1 ? question.kind : null;
  if (extra === 'noul') {
    const [denied = 0] = firstOf(await ask(negate(question)));
    return { ...trial, asks: 2, flipped: null, denied };
  }
  if (extra !== 'choice') return { ...trial, asks: 1, flipped: null, denied: null };
  const reversed = reorder(question, question.options.map((_, index) => index).toReversed());
  const other = chosenOf(reversed, firstOf(await ask(reversed)));
  return { ...trial, asks: 2, flipped: other !== question.options.length - 1 - chosen, denied: null };
}

const firstOf = ({ distributions: [first = []] }: Decision): Distribution => first;

function chosenOf({ options }: NormalizedQuestion, probabilities: Distribution): number {
  return choiceOf(
    options.map(({ name }) => name),
    probabilities,
  );
}
