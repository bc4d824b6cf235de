import { decide, type DecideLimits, type DecideOptions, type Decision } from '../decide.ts';
import type { Distribution, NormalizedQuestion, State } from '../engine.ts';
import { isGiven, questionKey, type Thresholds } from '../policy.ts';
import { withoutExamples } from '../question-examples.ts';
import type { Decider, Stage } from './decider.ts';
import { thresholdsFor, type Promised } from './guarantees.ts';

/** What a policy says of one answer. */
export interface Verdict {
  readonly isAbstained: boolean;
  /** Name of the decider whose answer it is. */
  readonly decidedBy: string;
}

/** What one decider was asked for a request. */
export interface StageUse {
  readonly name: string;
  readonly questions: number;
  /** Questions that went on to the next. */
  readonly passedOn: number;
  readonly inputTokens: number;
}

export interface NamedDecision extends Decision {
  /** One per question, in order; absent without a policy. */
  readonly verdicts?: readonly Verdict[];
  /** In the order of the cascade; one where there is none. */
  readonly uses: readonly StageUse[];
  /** Indices of questions with examples that whoever answered did not read. */
  readonly unread: readonly number[];
}

export interface AskOptions extends DecideOptions {
  /** Bound on the share of wrong answers that the request asks for; that of the decider holds where it is stricter. */
  readonly maxError: number | null;
}

/** The header by which a request asks for a bound. */
export const maxErrorHeader = 'x-nestor-max-error';

/**
 * Asks a decider. Only what a decider of a cascade is not confident enough of goes on to the next, and the last answers
 * all that is left. Under a bound each answers only what its thresholds let it. Throws Fault as `decide` does, and
 * `invalid_value` for a bound that nothing keeps.
 */
export function ask(
  decider: Decider,
  limits: DecideLimits,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
  options: AskOptions,
): Promise<NamedDecision> {
  const isPlain = decider.policy === null && options.maxError === null && decider.stages.length === 1;
  return (isPlain ? askAlone : askInTurn)(decider, limits, state, questions, signal, options);
}

async function askInTurn(
  decider: Decider,
  limits: DecideLimits,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
  { maxError, ...options }: AskOptions,
): Promise<NamedDecision> {
  const { abstain, maxError: ownMaxError } = decider.policy ?? { abstain: {}, maxError: null };
  const isAskedFor = maxError !== null && (ownMaxError === null || maxError < ownMaxError);
  const bound = isAskedFor ? maxError : ownMaxError;
  const param = isAskedFor ? maxErrorHeader : 'model';
  const promised = await thresholdsFor(decider, bound, param);
  const cascade = new Cascade(questions);
  for (const [stage, isLast] of stagesFor(decider, state, promised)) {
    const open = cascade.open();
    const asked = open.map(({ question }) => question);
    const decision = await decide(stage.engine, limits, state, asked, signal, options);
    cascade.take(stage, open, decision, isLast);
    if (cascade.isDone) break;
  }
  const decision = cascade.toDecision();
  if (decider.policy === null && maxError === null) return decision;
  const isKept = ({ question, distribution, stage, isDoubted }: Answered) =>
    (bound === null || !isDoubted) &&
    isEnough(stage, question, distribution) &&
    isGiven({ byKind: abstain, byQuestion: {} }, question, distribution);
  const verdicts = cascade.answers.map((answer) => ({
    isAbstained: !isKept(answer),
    decidedBy: answer.stage.name,
  }));
  return { ...decision, verdicts };
}

/** What most deciders are: one engine without a policy, whose answers stand as they are. */
async function askAlone(
  { stages }: Decider,
  limits: DecideLimits,
  state: State,
  questions: readonly NormalizedQuestion[],
  signal: AbortSignal,
  options: DecideOptions,
): Promise<NamedDecision> {
  const [{ engine, name }] = stages;
  const { readsExamples, ...decision } = await decide(engine, limits, state, questions, signal, options);
  const unread = questions.flatMap(({ examples }, index) =>
    readsExamples === true || examples === undefined ? [] : [index],
  );
  const use = { name, questions: questions.length, passedOn: 0, inputTokens: decision.inputTokens };
  return { ...decision, uses: [use], unread };
}

/** Examples may make answers surer and no better: with them a guarantee has to be of the very question. */
const isFittedFor = ({ byQuestion }: Thresholds, question: NormalizedQuestion): boolean =>
  question.examples === undefined || Object.hasOwn(byQuestion, questionKey(question));

interface BoundStage extends Stage {
  /** From which confidence on it answers under the bound that is asked for. */
  readonly promised: Thresholds;
}

const none: Thresholds = { byKind: {}, byQuestion: {} };

const isEnough = (
  { confidence, promised }: BoundStage,
  question: NormalizedQuestion,
  distribution: Distribution,
): boolean =>
  isGiven({ byKind: confidence, byQuestion: {} }, question, distribution) &&
  isGiven(promised, question, distribution);

/** Those that can see what the state holds, each with whether it is the last. */
function stagesFor(
  { stages }: Decider,
  { images }: State,
  promised: Promised,
): readonly (readonly [BoundStage, boolean])[] {
  const bound = stages.map((stage, index) => ({ ...stage, promised: promised[index] ?? none }));
  const able = images.length === 0 ? bound : bound.filter(({ engine }) => engine.vision);
  // None sees images: the first says so.
  const asked = able.length === 0 ? bound.slice(0, 1) : able;
  return asked.map((stage, index) => [stage, index === asked.length - 1]);
}

interface Open {
  readonly index: number;
  readonly question: NormalizedQuestion;
}

interface Answered {
  readonly question: NormalizedQuestion;
  readonly distribution: Distribution;
  readonly stage: BoundStage;
  /** Not every decider that was asked is the one of the guarantee, which says nothing of this answer. */
  readonly isDoubted: boolean;
}

/** The answers of one request while its questions go from decider to decider. */
class Cascade {
  readonly #questions: readonly NormalizedQuestion[];
  readonly #answered = new Map<number, Answered>();
  readonly #decisions: Decision[] = [];
  readonly #uses: StageUse[] = [];
  readonly #doubted = new Set<number>();

  constructor(questions: readonly NormalizedQuestion[]) {
    this.#questions = questions;
  }

  /** Questions that no decider answered yet. */
  open(): readonly Open[] {
    return this.#questions
      .map((question, index) => ({ index, question }))
      .filter(({ index }) => !this.#answered.has(index));
  }

  take(stage: BoundStage, open: readonly Open[], decision: Decision, isLast: boolean): void {
    let passedOn = 0;
    // Nothing is promised of an engine that stood in for the one of the guarantee, nor of what it passed on.
    const isOwn = decision.engine === stage.engine.name;
    for (const [place, { index, question }] of open.entries()) {
      const distribution = decision.distributions[place] ?? [];
      const asked = decision.readsExamples === true ? question : withoutExamples(question);
      if (!isOwn || !isFittedFor(stage.promised, asked)) this.#doubted.add(index);
      const isDoubted = this.#doubted.has(index);
      if (isLast || isEnough(stage, asked, distribution))
        this.#answered.set(index, { question: asked, distribution, stage, isDoubted });
      else passedOn++;
    }
    this.#decisions.push(decision);
    const { inputTokens } = decision;
    this.#uses.push({ name: stage.name, questions: open.length, passedOn, inputTokens });
  }

  get isDone(): boolean {
    return this.#answered.size === this.#questions.length;
  }

  /** In the order of the questions. */
  get answers(): readonly Answered[] {
    return this.#questions.map((_, index) => {
      const answered = this.#answered.get(index);
      if (answered === undefined) throw new Error(`question ${index} has no answer`);
      return answered;
    });
  }

  toDecision(): NamedDecision {
    const decisions = this.#decisions;
    const windows = decisions.find((one) => one.windows !== undefined)?.windows;
    const ruled = decisions.reduce((sum, one) => sum + (one.ruled ?? 0), 0);
    const unread = this.answers.flatMap(({ question }, index) =>
      question.examples === this.#questions[index]?.examples ? [] : [index],
    );
    return {
      distributions: this.answers.map(({ distribution }) => distribution),
      engine: [...new Set(decisions.map(({ engine }) => engine))].join(', '),
      inputTokens: decisions.reduce((sum, one) => sum + one.inputTokens, 0),
      ...(windows !== undefined && { windows }),
      ...(ruled > 0 && { ruled }),
      uses: this.#uses,
      unread,
    };
  }
}
