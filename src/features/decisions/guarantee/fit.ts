import { confidenceOf } from '../answer.ts';
import { kinds } from '../evaluation/report.ts';
import type { Trial } from '../evaluation/run.ts';
import { questionKey, type Thresholds } from '../policy.ts';
import { findThreshold, rowsNeeded, toCurve, toPoint, type Judged, type Target } from './threshold.ts';

/** An answer whose truth is known. */
export type Answered = Pick<Trial, 'question' | 'kind' | 'probabilities' | 'right' | 'chosen'>;

export type GuaranteeFit = ReturnType<typeof fitGuarantee>;
export type Group = ReturnType<typeof fitGroup>;

/** A question with this many times the rows that a threshold needs at least gets one of its own. */
const ownRowsFactor = 3;

/**
 * Thresholds by kind and, for questions with enough rows, of their own. What a kind's threshold is fitted on are the
 * questions without one of their own, because it answers those; where all have one, it is all of them.
 */
export function fitGuarantee(answers: readonly Answered[], target: Target) {
  const own = ownRowsFactor * rowsNeeded(target);
  const groups: Group[] = [];
  for (const kind of kinds) {
    const rows = answers.filter((answer) => answer.kind === kind);
    if (rows.length === 0) continue;
    const byQuestion = Map.groupBy(rows, keyOf());
    const large = [...byQuestion].filter(([, asked]) => asked.length >= own);
    const rest = [...byQuestion].flatMap(([, asked]) => (asked.length >= own ? [] : asked));
    groups.push(fitGroup({ kind, question: null }, rest.length === 0 ? rows : rest, target));
    for (const [question, asked] of large) groups.push(fitGroup({ kind, question }, asked, target));
  }
  return { target, needed: rowsNeeded(target), groups, thresholds: toThresholds(groups) };
}

interface GroupName {
  readonly kind: Answered['kind'];
  /** Null for all questions of the kind that have no threshold of their own. */
  readonly question: string | null;
}

function fitGroup({ kind, question }: GroupName, answers: readonly Answered[], target: Target) {
  const rows = answers.map(toJudged);
  const threshold = findThreshold(rows, target);
  return {
    kind,
    question,
    rows: rows.length,
    threshold,
    at: threshold === null ? null : toPoint(rows, threshold, target.confidence),
    curve: toCurve(rows, target.confidence),
  };
}

/** A kind of which there was no row is never answered: nothing is known of its errors. */
function toThresholds(groups: readonly Group[]) {
  const kindOf = (kind: Answered['kind']) =>
    groups.find((group) => group.kind === kind && group.question === null)?.threshold ?? null;
  return {
    byKind: { noul: kindOf('noul'), choice: kindOf('choice'), score: kindOf('score') },
    byQuestion: Object.fromEntries(
      groups.flatMap(({ question, threshold }) => (question === null ? [] : [[question, threshold]])),
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

const toJudged = ({ kind, probabilities, right, chosen }: Answered): Judged => ({
  confidence: confidenceOf(kind, probabilities),
  isWrong: right !== chosen,
});
