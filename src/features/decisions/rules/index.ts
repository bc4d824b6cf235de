import { preparedFor } from '../../../kernel/kit/prepared.ts';
import type { Distribution, NormalizedQuestion, State } from '../engine.ts';
import { type Asked, readAsked } from './asked.ts';
import { readComparison } from './comparison.ts';
import { chooseLanguage, readLanguageStatement } from './language.ts';
import { chooseValue } from './options.ts';
import { readPresence } from './presence.ts';
import { createReading, lazily, type Reading, saysSomething } from './reading.ts';
import { readStateQuestion } from './state-questions.ts';
import { readValue } from './structure/amounts.ts';
import { readEquality } from './structure/equality.ts';
import { chooseItem } from './structure/choose-item.ts';
import { readLimit } from './structure/limits.ts';
import { openStructure, type Structure } from './structure/lookup.ts';
import { readMoment } from './structure/moments.ts';
import { readAttendance, readOffer } from './structure/offers.ts';
import { readPermit } from './structure/permits.ts';
import { chooseShare, readShare } from './structure/shares.ts';
import { countInText, quantityInText } from './text-numbers.ts';
import { readAnswered } from './texts/answered.ts';
import { readCondition } from './texts/conditions.ts';
import { readDeadline } from './texts/deadlines.ts';
import { readOpening } from './texts/opening-hours.ts';
import { readThreshold, readWindow } from './texts/terms.ts';
import { readTextShare } from './texts/text-shares.ts';
import { compareTwoInText } from './texts/two-things.ts';
import { comparesItems, readQuantified } from './structure/quantified.ts';
import { answersOf, toAnswer, turnedBy, type Verdict, verdict } from './verdict.ts';

/** Answers what is no matter of meaning; null where a question asks for more, or may ask for more. */
export type Rules = (question: NormalizedQuestion) => Distribution | null;

/**
 * Rules over one state, for any engine to ask first. They read the whole question: one word that they do not know, and
 * they leave it. They know no model, and take time in proportion to the state. A question is read once, however often it is put.
 */
export function createRules(state: State): Rules {
  const reading = createReading(state);
  const opened = lazily(() => (reading.structure === null ? null : openStructure(reading.structure)));
  const isBlank = lazily(() => !saysSomething(state));
  const known = new Map<NormalizedQuestion, Distribution | null>();
  return (question) => {
    const before = known.get(question);
    if (before !== undefined) return before;
    const answer = ask(question);
    known.set(question, answer);
    return answer;
  };

  function ask(question: NormalizedQuestion): Distribution | null {
    if (question.options.length < 2) return null;
    // What an image shows, no rule sees.
    const answer = state.images.length > 0 ? null : byForm(question, reading, opened);
    return answer ?? (isBlank() ? question.options.map(() => 1 / question.options.length) : null);
  }
}

/** Read once for all states that it is asked about. */
const askedOf = preparedFor((question: NormalizedQuestion) => readAsked(question));

function byForm(
  question: NormalizedQuestion,
  reading: Reading,
  opened: () => Structure | null,
): Distribution | null {
  const asked = askedOf(question);
  if (asked === null) return null;
  const places = answersOf(question);
  if (places === null) {
    return asked.isTurned
      ? null
      : (chooseLanguage(asked.tokens, question, reading) ?? choose(asked, question, reading, opened()));
  }
  const found = presenceOf(asked, reading) ?? statement(asked, reading, opened);
  return found === null ? null : toAnswer(turnedBy(found, asked.isTurned), places);
}

function presenceOf({ tokens }: Asked, reading: Reading): Verdict | null {
  const presence = readPresence(tokens);
  if (presence === null) return null;
  const { detector, isDenied, isTold } = presence;
  const found = reading.find(detector);
  // "She left a note with her number": what somebody did is told, and not done.
  if (found.length === 0 && isTold && namesThing.test(reading.text)) return null;
  if (found.length === 0) return turnedBy(verdict(false, detector.absent), isDenied);
  return turnedBy(verdict(true, Math.max(...found.map(({ certainty }) => certainty))), isDenied);
}

const namesThing =
  /\b(?:numbers?|phone|e-?mail|contacts?|cards?|address(?:es)?|links?|website|dates?|details)\b/i;

function statement({ tokens }: Asked, reading: Reading, opened: () => Structure | null): Verdict | null {
  const direct =
    readStateQuestion(tokens, reading) ??
    readLanguageStatement(tokens, reading) ??
    readOpening(tokens, reading);
  if (direct !== null) return direct;
  // "Is any reading above 8" compares each of them, and not how many there are.
  if (reading.structure !== null && comparesItems(tokens)) return structureOf(opened, tokens);
  // "no more than" and "not less than" are comparisons, so they are read before "not" turns the rest.
  const compared = readComparison(tokens, opened(), reading);
  if (compared !== null) return compared;
  const quantified = structureOf(opened, tokens);
  if (quantified !== null) return quantified;
  // "has no assignee" of what is no list.
  const plain = tokens.filter(({ text }) => text !== 'not' && text !== 'no');
  const isDenied = plain.length < tokens.length;
  const structure = opened();
  const found =
    (isDenied ? readComparison(plain, structure, reading) : null) ??
    (structure === null ? readTold(plain, reading) : readFact(plain, structure));
  return found === null ? null : turnedBy(found, isDenied);
}

/** What two sentences of a text say together. */
const readTold = (tokens: Asked['tokens'], reading: Reading): Verdict | null =>
  readAnswered(tokens, reading) ??
  compareTwoInText(tokens, reading) ??
  readTextShare(tokens, reading) ??
  readThreshold(tokens, reading) ??
  readWindow(tokens, reading) ??
  readCondition(tokens, reading) ??
  readDeadline(tokens, reading);

/** What a structure says in its own words, of its moments, of its bounds, and in other words. */
const readFact = (tokens: Asked['tokens'], structure: Structure): Verdict | null =>
  readEquality(tokens, structure) ??
  readMoment(tokens, structure) ??
  readLimit(tokens, structure) ??
  readShare(tokens, structure) ??
  readPermit(tokens, structure) ??
  readAttendance(tokens, structure) ??
  readOffer(tokens, structure);

function structureOf(opened: () => Structure | null, tokens: Asked['tokens']): Verdict | null {
  const structure = opened();
  return structure === null ? null : readQuantified(tokens, structure);
}

/** Words that ask for a value. */
const asking = new Set(['what', 'which', 'tell', 'me', 'give', 'how', 'many', 'count']);

function choose(
  { tokens }: Asked,
  question: NormalizedQuestion,
  reading: Reading,
  structure: Structure | null,
): Distribution | null {
  const rest = tokens.filter(({ text }) => !asking.has(text));
  if (structure !== null) {
    const value = readValue(rest, structure);
    return (
      (value === null ? null : chooseValue(value, 0.99, question)) ??
      chooseShare(tokens, question, structure) ??
      (question.kind === 'choice' ? chooseItem(rest, question, structure) : null)
    );
  }
  if (!tokens.some(({ text }) => text === 'many' || text === 'number' || text === 'count')) return null;
  const counted = countInText(rest, reading) ?? quantityInText(rest, { unit: null, isAge: false }, reading);
  return counted === null ? null : chooseValue(counted.value, counted.certainty, question);
}
