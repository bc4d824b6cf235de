import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { holdsIn, isPeriod, type Quantity, valueIn } from '../quantity.ts';
import { findComparison, isWithin, type Range } from '../range.ts';
import type { Reading } from '../reading.ts';
import { turnedBy, type Verdict, verdict } from '../verdict.ts';
import { asksWhatItGrants, type Clause, clauseOf, fillers } from './clauses.ts';

/** What a rule says of all is applied to what a text tells of one. */
const applied = 0.92;
const inTime = 0.93;
const charsMax = 1_200;
const sentenceEnds = /(?<=[.!?;])\s|\n/;
/** A rule with an exception, or one that somebody only wishes for, needs to be understood. */
const openRule =
  /\b(?:unless|except\w*|but|only|not|no|never|without|other than|plus|excluding|might|if possible)\b|n['’]t\b/i;

const ofQuestion = new Set(
  'am will would do does did can could may must shall should is are was were i we you they he she it my our your their his her me us this that these those any still get gets receive receives'.split(
    ' ',
  ),
);
const same: ReadonlyMap<string, string> = new Map([
  ['owed', 'receive'],
  ['entitled', 'receive'],
  ['gets', 'receive'],
  ['get', 'receive'],
  ['receives', 'receive'],
]);

/** "is this order shipped free of charge", of a rule about orders above 50 euros and an order of 38. */
export function readThreshold(tokens: readonly Token[], { text }: Reading): Verdict | null {
  if (text.length > charsMax) return null;
  const sentences = text.split(sentenceEnds).map(clauseOf);
  const rules = sentences.flatMap((sentence) => ruleOf(sentence) ?? []);
  const [rule, ...more] = rules;
  if (rule === undefined || more.length > 0 || openRule.test(rule.sentence.text)) return null;
  const cases = sentences
    .filter((sentence) => sentence !== rule.sentence)
    .flatMap((sentence) => sentence.quantities.map(({ quantity }) => ({ sentence, quantity })))
    .filter(({ quantity }) => quantity.unit !== null && valueIn(quantity, rule.range.unit) !== null);
  const [one, ...others] = cases;
  if (one === undefined || others.length > 0 || openCase.test(one.sentence.text)) return null;
  if (findComparison(one.sentence.tokens) !== null) return null;
  if (!asksWhatItGrants(tokens, rule.sentence.text)) return null;
  const consequence = consequenceIn(tokens, rule.sentence, one.sentence);
  const holds = holdsIn(one.quantity, rule.range.unit, (value) => isWithin(value, rule.range));
  return holds === null || consequence === null
    ? null
    : turnedBy(verdict(holds, applied), consequence === 'opposite');
}

const openCase = /\b(?:not|never|if|unless|almost|nearly|about|around)\b|n['’]t\b/i;

interface Rule {
  readonly sentence: Clause;
  readonly range: Range;
}

/** "Orders above 50 euros are shipped free": a sentence on many that compares, and tells of nobody. */
function ruleOf(sentence: Clause): Rule | null {
  const compared = findComparison(sentence.tokens);
  if (compared === null || compared.found.unit === null) return null;
  if (/\b(?:i|my|we|our|he|she|his|her|this|that|was|were|did)\b/i.test(sentence.text)) return null;
  return { sentence, range: compared.found };
}

/**
 * Whether the words ask for what the rule says, of what the case tells; at least one is of the rule alone. "Do I pay" asks
 * for the opposite of what is free.
 */
function consequenceIn(tokens: readonly Token[], rule: Clause, one: Clause): 'said' | 'opposite' | null {
  const isFree =
    rule.tokens.some(({ text }) => text === 'free') && !tokens.some(({ text }) => text === 'free');
  const isPaid = isFree && tokens.some(({ text }) => paying.has(text));
  // A quantity of the question has to be one that the rule gives.
  const asked = clauseOf(tokens.map(({ raw }) => raw).join(' '));
  const given = (quantity: Quantity) =>
    rule.quantities.some(
      (own) => own.quantity.value === quantity.value && own.quantity.unit === quantity.unit,
    );
  if (!asked.quantities.every(({ quantity }) => given(quantity))) return null;
  const condition = conditionOf(rule);
  const ofRule = new Set(rule.tokens.map(({ text }) => stem(same.get(text) ?? text)));
  let isOfRule = isPaid;
  for (const [at, { text }] of asked.tokens.entries()) {
    if (asked.quantities.some(({ from, to }) => at >= from && at < to) || (isPaid && paying.has(text)))
      continue;
    const root = stem(same.get(text) ?? text);
    if (!ofRule.has(root) && fillers.has(text)) continue;
    if (!ofRule.has(root) && !one.stems.has(root) && !ofQuestion.has(text)) return null;
    isOfRule ||=
      ofRule.has(root) &&
      !condition.has(root) &&
      !one.stems.has(root) &&
      !fillers.has(text) &&
      (same.has(text) || !ofQuestion.has(text));
  }
  return !isOfRule ? null : isPaid ? 'opposite' : 'said';
}

/** Stems of what a rule supposes: "members over 60", "if the flight is delayed by more than three hours". */
function conditionOf({ text, tokens }: Clause): ReadonlySet<string> {
  const first = /^\s*(?:if|when|where)\b([^,]*),/i.exec(text)?.[1];
  const place = first === undefined ? text.search(/\b(?:if|when|where)\b/i) : -1;
  const said = place < 0 ? first : text.slice(place);
  if (said !== undefined) return clauseOf(said).stems;
  const rest = findComparison(tokens)?.rest ?? [];
  const compared = tokens.findIndex((token, at) => token !== rest[at]);
  return new Set(
    tokens.slice(Math.max(0, compared - subjectWords), compared).map((token) => stem(token.text)),
  );
}

const subjectWords = 2;

const paying = new Set(['pay', 'paying', 'charged', 'charge', 'fee', 'cost', 'costs']);

const windowBefore = new Set(['within', 'for', 'in']);
const permitting =
  /\b(?:can|may|must|have to|has to|should|is|are|valid|possible|runs?|lasts?|accepted?|accept|guarantee|warranty)\b/i;
const lateWords = /\btoo late\b/;
const stillWords = /\bstill (?:be )?\p{L}+/u;
const returning = new Set(
  'bring give send take return returned exchange exchanged claim cancel cancelled back to too late still possible be'.split(
    ' ',
  ),
);

/** "can the lamp still be returned", "is it too late to bring it back", of a time for all and of one that has passed. */
export function readWindow(tokens: readonly Token[], { text }: Reading): Verdict | null {
  const asked = tokens.map((token) => token.text).join(' ');
  const isLate = lateWords.test(asked);
  if (isLate === stillWords.test(asked) || text.length > charsMax) return null;
  const sentences = text.split(sentenceEnds).map(clauseOf);
  const periods = sentences.flatMap((sentence) =>
    sentence.quantities
      .filter(({ quantity }) => isPeriod(quantity.unit))
      .map(({ quantity, from, to }) => ({
        quantity,
        sentence,
        before: sentence.tokens[from - 1]?.text ?? '',
        after: sentence.tokens[to]?.text ?? '',
      })),
  );
  const [most, ...others] = periods.filter(
    ({ before, after, sentence }) =>
      windowBefore.has(before) &&
      after !== 'ago' &&
      permitting.test(sentence.text) &&
      !openRule.test(sentence.text),
  );
  const [passed, ...more] = periods.filter(({ after }) => after === 'ago');
  if (most === undefined || passed === undefined || others.length + more.length > 0 || periods.length !== 2)
    return null;
  const stems = new Set(sentences.flatMap((sentence) => [...sentence.stems]));
  const isKnown = tokens.every(
    ({ text: word }) =>
      fillers.has(word) || ofQuestion.has(word) || returning.has(word) || stems.has(stem(word)),
  );
  if (!isKnown || openCase.test(passed.sentence.text)) return null;
  const isIn = isUpTo(passed.quantity, most.quantity);
  return isIn === null ? null : turnedBy(verdict(isIn, inTime), isLate);
}

/** Null where both are the same: the last day may be over. */
function isUpTo(own: Quantity, most: Quantity): boolean | null {
  const value = valueIn(own, most.unit);
  return value === null || value === most.value ? null : value < most.value;
}
