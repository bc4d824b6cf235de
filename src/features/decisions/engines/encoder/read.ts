import type { Distribution, NormalizedQuestion } from '../../engine.ts';
import { normalise } from '../../order.ts';
import { levelPositions } from '../../words/axis.ts';
import { type AskedConcept, conceptOfLevels, gradeOf } from './concepts.ts';
import { along, contrast, dot } from './contrast.ts';
import type { Told } from './reading.ts';
import { type Clause, saidOf } from './said.ts';
import { asksForSubject, type Asked } from './texts.ts';

/** What is known of a question when it is answered. */
export interface Evidence {
  readonly question: NormalizedQuestion;
  readonly asked: Asked;
  /** Vectors of the windows of the state. */
  readonly windows: readonly Float32Array[];
  /** What the state says, clause by clause. */
  readonly clauses: () => readonly Clause[];
  readonly vectorOf: (text: string) => Float32Array;
  /** What the reader makes of `readerTexts`; empty where it was not asked. */
  readonly told: readonly Told[];
  /** What the words say to each of `questionsForWords`. */
  readonly words: readonly Distribution[];
  /** Above 1 where the state is in a language that the encoder was not trained on. */
  readonly temperature: number;
}

/**
 * Fitted by log loss on some thousands of choices of 2 to 150 names (topics, dialogues, assistants, BANKING77, CLINC150) and on
 * statements about messages; scores and criteria by hand, because no data has them. See docs/guide/encoder.md.
 */
export const fitted = {
  /** Divisor of a difference of cosines between options, and weight of the log probabilities of the words. */
  choice: { divisor: 0.066, words: 0.25, rest: 1 },
  /** Log odds of a statement: weights of its cosine above that of an even chance, and of the log odds of the words. */
  statement: { even: { topic: 0.31, other: 0.18 }, cosine: 8, words: 0.6, denialLead: 0.03 },
  contrast: { scale: 1, words: 0.8 },
  criteria: { divisor: 0.08, words: 0.6 },
  feelings: { divisor: 1, words: 0.3, rest: 0.3 },
  graded: { steepness: 1.8, pull: 2 },
  score: { divisor: 0.1, words: 0.6, pull: 1.5 },
  /** Weights of the log odds by likeness, and of those of the reader. */
  reader: {
    statement: { likeness: 0, reader: 0.8 },
    topic: { likeness: 0.8, reader: 0.6 },
    /** A clause has the words of the statement. */
    said: { likeness: 1, reader: 0.5 },
    wish: { likeness: 0.2, reader: 1 },
    concept: { likeness: 1, reader: 0.5 },
    contrast: { likeness: 0.9, reader: 0.15 },
    criteria: { likeness: 0.5, reader: 0.5 },
    choice: { likeness: 0.15, reader: 0.55 },
    subject: { likeness: 0.8, reader: 0.3 },
    score: { likeness: 0.2, reader: 0.6 },
    /** How much of what is not told counts for yes, and for no. */
    untold: { yes: 0.25, no: 0.3 },
    /** It says yes to "somewhat" sooner than to "very" or "not at all": log odds that a level between others has too much. */
    between: 1.25,
  },
} as const;

/** The bound of what comparing vectors can be sure of: 0.995. */
const logOddsMax = 5.3;
/** "no incident", "nothing went wrong": what any window is like that is about something else. */
const saysNothing = /^(?:no|nothing|none|nobody|not)\b/i;
/** Of facts that no clause states, likeness is never surer than four to one: by itself it ranks them no better than chance. */
const plainMax = Math.log(4);
/** By how much more likeness one window is e times as likely as another to speak of a question. */
const relevanceScale = 0.05;

export function read(evidence: Evidence): Distribution {
  const { asked, question, temperature } = evidence;
  if (asked.kind === 'options' || asked.kind === 'feelings') {
    const likely = question.kind === 'score' ? levelLogits(evidence, asked) : optionLogits(evidence, asked);
    return softmax(withReader(evidence, likely), temperature);
  }
  const logOdds = Math.max(-logOddsMax, Math.min(logOddsMax, noulLogOdds(evidence, asked))) / temperature;
  const yes = 1 / (1 + Math.exp(-logOdds));
  return question.options.map(({ name }) => (name === 'true' ? yes : 1 - yes));
}

type Noul = Exclude<Asked, { readonly options: unknown }>;
type Options = Extract<Asked, { readonly options: unknown }>;

/** What likeness says of each option, and what the reader says of it beside the others. */
function withReader({ question, told }: Evidence, likely: readonly number[]): readonly number[] {
  if (told.length === 0) return likely;
  const positions = question.kind === 'score' ? levelPositions(question) : null;
  const kind = positions !== null ? 'score' : asksForSubject(question) ? 'subject' : 'choice';
  const { likeness, reader } = fitted.reader[kind];
  return likely.map((logit, option) => {
    const { yes, no } = told[option] ?? { yes: 0, no: 0 };
    const isBetween = Math.abs(positions?.[option] ?? 1) < 1;
    return likeness * logit + reader * (yes - no - (isBetween ? fitted.reader.between : 0));
  });
}

/** Whether vectors count for the answer to a question. */
export const comparesVectors = (asked: Asked, clauses: Evidence['clauses']): boolean =>
  'options' in asked || fitted.reader[weightsFor(asked, clauses)].likeness > 0;

function noulLogOdds(evidence: Evidence, asked: Noul): number {
  const { likeness, reader } = fitted.reader[weightsFor(asked, evidence.clauses)];
  const [first, second] = evidence.told.map(oddsOf);
  const likely = likeness > 0 || first === undefined ? likelyLogOdds(evidence, asked) : 0;
  if (first === undefined) return likely;
  const sign = asked.kind === 'criteria' ? 1 : asked.sign;
  return likeness * likely + reader * sign * (second === undefined ? first : (first - second) / 2);
}

function weightsFor(asked: Noul, clauses: Evidence['clauses']) {
  if (asked.kind === 'statement' && asked.isTopical) return 'topic';
  if ('concept' in asked && asked.concept !== null) return 'concept';
  if (asked.kind !== 'statement') return asked.kind;
  // Wishes are said in clauses that tell no fact: "please refund it".
  if (saidOf(asked.statement, clauses(), asked.isWish) !== null) return 'said';
  return asked.isWish ? 'wish' : 'statement';
}

function oddsOf({ yes, no, untold }: Told): number {
  const { untold: share } = fitted.reader;
  const other = Math.exp(untold);
  return Math.log((Math.exp(yes) + share.yes * other) / (Math.exp(no) + share.no * other));
}

function likelyLogOdds(evidence: Evidence, asked: Noul): number {
  const plain = plainLogOdds(evidence, asked);
  const concept = 'concept' in asked ? asked.concept : null;
  if (asked.kind === 'criteria' || concept === null) return plain;
  const said = asked.kind === 'statement' ? saidOf(asked.statement, evidence.clauses(), false) : null;
  const grade = concept.sign * gradeIn(evidence.windows, concept);
  const ofConcept = asked.sign * (said === null ? grade : said + grade / 2);
  // Graded were single messages: of a window among many a concept says less.
  const share = evidence.windows.length === 1 ? concept.share : concept.share / 2;
  return share * ofConcept + (1 - share) * plain;
}

/** Log odds that a state has much of a concept: windows that have most of it count most. */
function gradeIn(windows: readonly Float32Array[], { name }: AskedConcept): number {
  const grades = windows.map((window) => gradeOf(name, window));
  const weights = normalise(grades.map((grade) => Math.exp(grade - Math.max(...grades))));
  return grades.reduce((sum, grade, index) => sum + grade * (weights[index] ?? 0), 0);
}

function plainLogOdds({ question, windows, clauses, vectorOf, words }: Evidence, asked: Noul): number {
  const yesAt = question.options.findIndex(({ name }) => name === 'true');
  const [ofWords = 0, ofOpposite = 0] = words.map((answer) => {
    const yes = answer[yesAt] ?? 0.5;
    return Math.log(yes / (1 - yes));
  });
  const statement = vectorOf(asked.statement);
  if (asked.kind === 'statement') {
    const { even, cosine, words: share, denialLead } = fitted.statement;
    const nearest = (vector: Float32Array) => Math.max(...windows.map((window) => dot(window, vector)));
    const affirmed = nearest(statement);
    const denied = asked.denial === null ? -1 : nearest(vectorOf(asked.denial));
    const [sign, likeness] = denied > affirmed + denialLead ? [1, denied] : [asked.sign, affirmed];
    const ofEncoder = sign * cosine * (likeness - even[asked.isTopical ? 'topic' : 'other']);
    const likely = ofEncoder + asked.sign * share * ofWords;
    const said = saidOf(asked.statement, clauses(), asked.isTopical);
    const bounded = asked.isTopical || asked.isWish ? likely : plainMax * Math.tanh(likely / plainMax);
    return said === null ? bounded : asked.sign * said + bounded / 2;
  }
  const opposite = vectorOf(asked.opposite);
  const weights = relevances(
    windows.map((window) => Math.max(dot(window, statement), dot(window, opposite))),
  );
  const mean = (valueOf: (window: Float32Array) => number) =>
    windows.reduce((sum, window, index) => sum + (weights[index] ?? 0) * valueOf(window), 0);
  if (asked.kind === 'criteria') {
    const { divisor, words: share } = fitted.criteria;
    return mean((window) => dot(window, statement) - dot(window, opposite)) / divisor + share * ofWords;
  }
  const { scale, words: share } = fitted.contrast;
  const ofEncoder = scale * mean((window) => contrast(window, statement, opposite));
  return asked.sign * (ofEncoder + (share / 2) * (ofWords - ofOpposite));
}

function optionLogits({ windows, vectorOf, words }: Evidence, { kind, options }: Options): readonly number[] {
  const own = options.map((text) => (text === null ? null : vectorOf(text)));
  const count = own.filter((vector) => vector !== null).length;
  const ofWords = (words[0] ?? []).map((p) => Math.log(Math.max(p, 1e-9)));
  if (count === 0) return ofWords;
  const likeness = windows.map((window) => own.map((vector) => (vector === null ? -1 : dot(window, vector))));
  const counts = options.map((text) => text !== null && (count === 1 || !saysNothing.test(text)));
  const weights = relevances(
    likeness.map((row) => Math.max(...row.map((value, option) => (counts[option] === true ? value : -1)))),
  );
  const valued =
    kind === 'feelings'
      ? windows.map((window) => own.map((vector) => (vector === null ? 0 : along(window, vector))))
      : likeness;
  const means = own.map((vector, option) =>
    vector === null
      ? null
      : valued.reduce((sum, row, index) => sum + (weights[index] ?? 0) * (row[option] ?? 0), 0),
  );
  const { divisor, words: share, rest } = fitted[kind === 'feelings' ? 'feelings' : 'choice'];
  // Summed by size, so that the order of the options does not reach the last bit.
  const centre =
    means
      .filter((mean) => mean !== null)
      .toSorted((a, b) => a - b)
      .reduce((a, b) => a + b, 0) / count;
  return means.map((mean, option) =>
    // An option that says nothing of its own is as likely as the words find it.
    mean === null
      ? rest * (ofWords[option] ?? 0)
      : (mean - centre) / divisor + share * (ofWords[option] ?? 0),
  );
}

function levelLogits(evidence: Evidence, { options }: Options): readonly number[] {
  const { question, windows, vectorOf, words } = evidence;
  const concept = conceptOfLevels(
    question.question,
    question.options.map(({ description }) => description),
  );
  if (concept !== null) return gradedLogits(evidence, concept);
  const { divisor, words: share, pull } = fitted.score;
  const ofWords = (words[0] ?? []).map((p) => share * Math.log(Math.max(p, 1e-9)));
  const positions = levelPositions(question);
  const [low, high] = [options[positions.indexOf(-1)], options[positions.indexOf(1)]];
  if (low === undefined || high === undefined || low === null || high === null) return ofWords;
  const [from, to] = [vectorOf(low), vectorOf(high)];
  const weights = relevances(windows.map((window) => Math.max(dot(window, from), dot(window, to))));
  const place = Math.tanh(
    windows.reduce((sum, window, index) => sum + (weights[index] ?? 0) * contrast(window, to, from), 0) / 2,
  );
  const likeness = options.map((text) =>
    text === null
      ? 0
      : windows.reduce((sum, window, index) => sum + (weights[index] ?? 0) * dot(window, vectorOf(text)), 0),
  );
  return ofWords.map(
    (logit, level) =>
      logit + (likeness[level] ?? 0) / divisor - (pull / 2) * ((positions[level] ?? 0) - place) ** 2,
  );
}

/** Levels by their distance from where the state stands between little and much of a concept. */
function gradedLogits({ question, windows }: Evidence, concept: AskedConcept): readonly number[] {
  const place = Math.tanh((fitted.graded.steepness * concept.sign * gradeIn(windows, concept)) / 2);
  return levelPositions(question).map((position) => -fitted.graded.pull * (position - place) ** 2);
}

/** Weights of the windows by how much they speak of a question. */
function relevances(likeness: readonly number[]): readonly number[] {
  const highest = Math.max(...likeness);
  return normalise(likeness.map((value) => Math.exp((value - highest) / relevanceScale)));
}

function softmax(logits: readonly number[], temperature: number): Distribution {
  const highest = Math.max(...logits);
  return normalise(logits.map((logit) => Math.exp((logit - highest) / temperature)));
}
