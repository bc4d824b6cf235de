import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { findComparison } from '../range.ts';
import type { Reading } from '../reading.ts';
import { turnedBy, type Verdict, verdict } from '../verdict.ts';
import { asksWhatItGrants, type Clause, clauseOf, fillers } from './clauses.ts';

const certainty = 0.9;
const charsMax = 800;
const sentenceEnds = /(?<=[.!?;])\s|\n/;

/**
 * How a rule names what it depends on: by an exception, by what has to be, or by what is enough. A longer marker stands
 * before a shorter one that it begins with.
 */
const markers: readonly (readonly [form: RegExp, kind: Kind])[] = [
  [/\b(?:only if|only when|provided that|provided|as long as|on condition that|so long as)\b/i, 'needed'],
  [/\b(?:except(?: (?:if|when|for|in|on|at|during|that))?|unless|other than)\b/i, 'exception'],
  [/^(?:if|when)\b|\b(?:if)\b/i, 'enough'],
];
type Kind = 'needed' | 'exception' | 'enough';

/** What only one reading of a sentence tells apart. */
const unclear =
  /\b(?:if|unless|maybe|perhaps|might|may|could|would|should|wants?|plans?|almost|nearly|or|but|both|either|neither)\b/i;
const denial = /\b(?:not|never|no|nobody|without)\b|n['’]t\b/i;
const denials = new Set(['not', 'never', 'no', 'nobody', 'without']);
const ofCondition = new Set(
  'you your they their them he she his her i my we our us it its there that this these when if for one somebody someone anybody anyone own also'.split(
    ' ',
  ),
);
const ofQuestion = new Set(
  'am will would do does did can could may must shall should need needs have has is are was were i we you they he she it my our your their his her me us this that these those any get gets entitled required obliged put'.split(
    ' ',
  ),
);
/** What asks for the opposite of what a rule grants. */
const opposites: readonly (readonly [rule: RegExp, asked: ReadonlySet<string>])[] = [
  [/\bfree\b/i, new Set(['pay', 'paid', 'charged', 'charge', 'fee', 'cost', 'costs'])],
  [/\b(?:allowed|permitted)\b/i, new Set(['prohibited', 'forbidden', 'banned'])],
  [/\b(?:prohibited|forbidden|banned)\b/i, new Set(['allowed', 'permitted'])],
];

/** "is swimming allowed", of a rule with an exception whose every word a sentence about the case has, or denies. */
export function readCondition(tokens: readonly Token[], { text }: Reading): Verdict | null {
  if (text.length > charsMax) return null;
  const sentences = text.split(sentenceEnds).filter((one) => one.trim() !== '');
  const rules = sentences.flatMap((sentence) => ruleOf(sentence) ?? []);
  const [rule, ...more] = rules;
  if (rule === undefined || more.length > 0) return null;
  const cases = sentences.filter((sentence) => sentence !== rule.sentence).map(clauseOf);
  const fitting = cases.filter(({ stems }) => [...rule.condition].every((word) => stems.has(word)));
  const [own, ...others] = fitting;
  if (own === undefined || others.length > 0 || unclear.test(own.text)) return null;
  const asked = askedOf(tokens, rule, own);
  if (asked === null || (asked === 'said' && !asksWhatItGrants(tokens, rule.main.text))) return null;
  const isMet = denial.test(own.text) === rule.isDenied;
  // It may rain for other reasons as well.
  if (!isMet && rule.kind === 'enough') return null;
  const applies = isMet !== (rule.kind === 'exception');
  return turnedBy(verdict(applies, certainty), asked === 'opposite');
}

interface Rule {
  readonly sentence: string;
  readonly kind: Kind;
  /** What it says of all. */
  readonly main: Clause;
  /** Stems of what it depends on. */
  readonly condition: ReadonlySet<string>;
  /** It depends on that not being so: "if you have no ticket". */
  readonly isDenied: boolean;
}

function ruleOf(sentence: string): Rule | null {
  for (const [form, kind] of markers) {
    const found = form.exec(sentence);
    if (found === null) continue;
    const rest = sentence.slice(found.index + found[0].length);
    const isFirst = sentence.slice(0, found.index).trim() === '';
    const comma = rest.indexOf(',');
    if (isFirst && comma < 0) return null;
    const [condition, main] = isFirst
      ? [clauseOf(rest.slice(0, comma)), clauseOf(rest.slice(comma + 1))]
      : [clauseOf(rest), clauseOf(sentence.slice(0, found.index))];
    // Figures are compared, and a rule that denies may be asked for in two ways.
    if (denial.test(main.text) || unclear.test(condition.text)) return null;
    if (condition.quantities.length > 0 || findComparison(condition.tokens) !== null) return null;
    const isSaid = ({ text: word }: Token) =>
      !fillers.has(word) && !ofCondition.has(word) && !denials.has(word);
    const stems = new Set(condition.tokens.filter(isSaid).map(({ text: word }) => stem(word)));
    const denied = condition.tokens.filter(({ text: word }) => denials.has(word)).length;
    return stems.size === 0 || denied > 1
      ? null
      : { sentence, kind, main, condition: stems, isDenied: denied === 1 };
  }
  return null;
}

/** Whether the words ask for what the rule says or for its opposite, of the case alone. */
function askedOf(tokens: readonly Token[], { main }: Rule, own: Clause): 'said' | 'opposite' | null {
  const opposite = opposites.find(
    ([form, words]) =>
      form.test(main.text) &&
      tokens.some(({ text }) => words.has(text)) &&
      !tokens.some(({ text }) => form.test(text)),
  );
  let isOfRule = opposite !== undefined;
  for (const { text } of tokens) {
    if (opposite?.[1].has(text) === true || fillers.has(text)) continue;
    const isMain = main.stems.has(stem(text));
    if (!isMain && !ofQuestion.has(text) && !own.stems.has(stem(text))) return null;
    isOfRule ||= isMain && !ofQuestion.has(text) && !own.stems.has(stem(text));
  }
  return !isOfRule ? null : opposite === undefined ? 'said' : 'opposite';
}
