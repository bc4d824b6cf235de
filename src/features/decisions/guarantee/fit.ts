import { confidenceOf } from '../answer.ts';
import type { Distribution } from '../engine.ts';
import { kinds } from '../evaluation/report.ts';
import { questionKey, type Confidences, type Thresholds } from '../policy.ts';
import type { NormalizedQuestion } from '../engine.ts';
import { fitCascade, rowsNeededOfCascade, type CascadePoint } from './cascade.ts';
import { findThreshold, rowsNeeded, toCurve, toPoint, type Judged, type Target } from './threshold.ts';

/** A question whose truth is known, as the deciders of a cascade answer it; one where there is no cascade. */
export interface Answered {
  readonly question: NormalizedQuestion;
  readonly right: number;
  readonly answers: readonly { readonly probabilities: Distribution; readonly chosen: number }[];
}

export type GuaranteeFit = ReturnType<typeof fitGuarantee>;
export type Group = ReturnType<typeof fitGroup>;

/** A question with this many times the rows that a threshold needs at least gets one of its own. */
const ownRowsFactor = 3;

/**
 * Thresholds by kind and, for questions with enough rows, of their own. What a kind's threshold is fitted on are the
 * questions without one of their own, because it answers those; where all have one, it is all of them. `stages` has the
 * confidence below which a decider passes a question on, whatever is fitted.
 */
export function fitGuarantee(
  answers: readonly Answered[],
  target: Target,
  stages: readonly Confidences[] = [{}],
) {
  const needed = (stages.length === 1 ? rowsNeeded : rowsNeededOfCascade)(target);
  const own = ownRowsFactor * needed;
  const groups: Group[] = [];
  for (const kind of kinds) {
    const rows = answers.filter(({ question }) => question.kind === kind);
    if (rows.length === 0) continue;
    const byQuestion = Map.groupBy(rows, keyOf());
    const large = [...byQuestion].filter(([, asked]) => asked.length >= own);
    const rest = [...byQuestion].flatMap(([, asked]) => (asked.length >= own ? [] : asked));
    groups.push(fitGroup({ kind, question: null }, rest.length === 0 ? rows : rest, target, stages));
    for (const [question, asked] of large) groups.push(fitGroup({ kind, question }, asked, target, stages));
  }
  return {
    target,
    needed,
    groups,
    thresholds: stages.map((_, stage) => toThresholds(groups, stage)),
  };
}

interface GroupName {
  readonly kind: NormalizedQuestion['kind'];
  /** Null for all questions of the kind that have no threshold of their own. */
  readonly question: string | null;
}

function fitGroup(
  name: GroupName,
  answers: readonly Answered[],
  target: Target,
  stages: readonly Confidences[],
) {
  const rows = answers.map((answered) => toJudged(answered, stages));
  const { at, curve } = stages.length === 1 ? fitOne(rows, target) : fitCascade(rows, target);
  return { ...name, rows: rows.length, at, curve };
}

/** One decider is tested on all rows, along a fixed grid. */
function fitOne(rows: readonly (readonly (Judged | null)[])[], target: Target) {
  const judged = rows.flatMap(([first]) => first ?? []);
  const threshold = findThreshold(judged, target);
  const toCascadePoint = ({ threshold: of, ...point }: ReturnType<typeof toPoint>): CascadePoint => ({
    ...point,
    thresholds: [of],
    stages: [{ asked: rows.length, answered: point.answered, errors: point.errors }],
  });
  return {
    at: threshold === null ? null : toCascadePoint(toPoint(judged, threshold, target.confidence)),
    curve: toCurve(judged, target.confidence).map(toCascadePoint),
  };
}

/** A kind of which there was no row is never answered: nothing is known of its errors. */
function toThresholds(groups: readonly Group[], stage: number) {
  const kindOf = (kind: GroupName['kind']) =>
    groups.find((group) => group.kind === kind && group.question === null)?.at?.thresholds[stage] ?? null;
  return {
    byKind: { noul: kindOf('noul'), choice: kindOf('choice'), score: kindOf('score') },
    byQuestion: Object.fromEntries(
      groups.flatMap(({ question, at }) =>
        question === null ? [] : [[question, at?.thresholds[stage] ?? null]],
      ),
    ),
  } satisfies Thresholds;
}

/** Examples share the objects of their questions, and a key is a hash. */
function keyOf(): (answer: Answered) => string {
  const keys = new Map<Answered['question'], string>();
  return ({ question }) => {
    const key = keys.get(question) ?? questionKey(question);
    keys.set(question, key);
    return key;
  };
}

function toJudged({ question: { kind }, right, answers }: Answered, stages: readonly Confidences[]) {
  return answers.map(({ probabilities, chosen }, stage): Judged | null => {
    const confidence = confidenceOf(kind, probabilities);
    return confidence < (stages[stage]?.[kind] ?? 0) ? null : { confidence, isWrong: right !== chosen };
  });
}
