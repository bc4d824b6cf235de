import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';
import { fits } from './fits.ts';
import { weigh } from './match.ts';
import { createPlaces } from './places.ts';
import type { Question } from './question.ts';
import { titlesBeside, type Titles } from './site.ts';
import type { ReadPassage, Unit } from './units.ts';
import { meansSame, toStems } from './words.ts';

/** What a unit, where it stands, has of the things that were asked. */
export interface Evidence {
  /** Whether it can be evidence for an answer: what is only near does not name what was asked. */
  readonly isFor: (unit: Unit) => boolean;
  /** Share of the question, but for the name of the page, that stands in it, beside it or in its headings. */
  readonly named: (unit: Unit) => number;
  /** Whether the question has a word of the name of its page. */
  readonly isOnPage: (unit: Unit) => boolean;
  /** What the pages of its site are called. */
  readonly titles: (unit: Unit) => Titles;
}

/** Least weight of a word whose thing a passage has to name for it to say how something is done with it. */
const toolMin = 0.75;
/** A word this rare is what a question is about: the section of an answer has it. */
const rareMin = 0.82;
/** Words beside the subject together weigh this much before one of them has to be met. */
const restMin = 0.5;
/** None is a count as well: "it has no dependencies". */
const count = /\bhow many\b/i;
const none = /\b(?:no|none of|zero)\s+(?<counted>(?:\S+\s*){1,3})/i;

interface Weighed {
  readonly key: string;
  readonly weight: number;
}

/** Prepared for one question. Texts are read once, and only those that are asked about. */
export function createEvidence(
  question: Question,
  sources: readonly SourcePassage[],
  read: readonly ReadPassage[],
  vectors: WordVectors,
): Evidence {
  const units = read.flatMap((one) => one.units);
  const weights = weigh(question, units, vectors);
  const words = question.words.map(({ stem: key }, at): Weighed => ({ key, weight: weights[at] ?? 0 }));
  const { titleOf, textOf, sectionOf, around } = createPlaces(sources, read);
  /** Whether its passage speaks of a thing at all. */
  const isNamed = (unit: Unit, key: string): boolean => has(textOf(unit), key) || has(titleOf(unit), key);

  const namesFact = createFactRule(question);
  const namesThing = (unit: Unit): boolean => {
    const { thing } = question;
    if (thing === null) return true;
    const { sign } = thing;
    return sign === null
      ? isNamed(unit, thing.stem)
      : leads(unit) || around(unit).some(({ kind, text }) => kind !== 'code' && sign.test(text));
  };
  const namesTools = (unit: Unit): boolean =>
    !question.isHowTo || words.every(({ key, weight }) => weight < toolMin || isNamed(unit, key));
  const nearOf = (unit: Unit): ReadonlySet<string> =>
    new Set([...toStems(unit.headings.join(' ')), ...around(unit).flatMap(({ stems }) => [...stems])]);
  // A value stands for its name: what is left has to be met.
  const valued = (question.thing?.sign ?? null) === null ? null : question.thing?.stem;
  const restOf = (unit: Unit) => words.filter(({ key }) => key !== valued && !has(titleOf(unit), key));
  const namesRest = (unit: Unit): boolean => {
    const rest = restOf(unit);
    const near = nearOf(unit);
    return sumOf(rest) < restMin || rest.some(({ key }) => has(near, key));
  };
  const namesRare = (unit: Unit): boolean => {
    const rest = words.filter(({ key }) => !has(titleOf(unit), key));
    return (
      rest.every(({ weight }) => weight < rareMin) ||
      rest.some(({ key, weight }) => weight >= toolMin && has(sectionOf(unit), key))
    );
  };
  const namesSubject = (unit: Unit): boolean => question.subject.every((key) => isNamed(unit, key));
  /** What has no word beside those of the question only repeats it. */
  const saysMore = (unit: Unit): boolean =>
    leads(unit) || [...unit.stems].some((one) => !words.some(({ key }) => meansSame(key, one)));
  const rules = [namesFact, namesThing, namesTools, namesRest, namesRare, namesSubject, saysMore];
  return {
    isFor: (unit) => rules.every((rule) => rule(unit)),
    named(unit) {
      const rest = restOf(unit);
      const near = nearOf(unit);
      const all = sumOf(rest);
      return all === 0 ? 1 : sumOf(rest.filter(({ key }) => has(near, key))) / all;
    },
    isOnPage: (unit) => words.some(({ key }) => has(titleOf(unit), key)),
    titles({ passage }) {
      const source = sources[passage];
      return source === undefined ? 'unclear' : titlesBeside(source, sources, vectors);
    },
  };
}

const sumOf = (words: readonly Weighed[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

function createFactRule(question: Question): (unit: Unit) => boolean {
  const isCount = question.counted !== null || count.test(question.text);
  const isAsked = isShown(question);
  return (unit) =>
    !isAsked ||
    (fits(unit, question) && isTold(unit)) ||
    (leads(unit) && !isCount) ||
    (isCount && isNone(unit, question));
}

/** Whether an answer shows by its form: "when does it fire" may be told by a condition, "where is it kept" by code. */
function isShown({ asked, text }: Question): boolean {
  if (asked === 'time') return !whenever.test(text);
  return asked === 'person' || asked === 'number';
}

const whenever = /\bwhen (?:is|are|do|does|can|should|will|would)\b/i;

function isNone({ text }: Unit, { counted }: Question): boolean {
  const without = none.exec(text)?.groups?.['counted'];
  return without !== undefined && (counted === null || toStems(without).includes(counted));
}

/** Code is full of digits: a number is told by one that is set. */
const isTold = ({ kind, text }: Unit): boolean => kind !== 'code' || /[:=(]\s+\d/.test(text);

/** What it announces is quoted with it, and is not looked into. */
const leads = ({ text }: Unit): boolean => text.endsWith(':');

function has(stems: ReadonlySet<string>, key: string): boolean {
  if (stems.has(key)) return true;
  for (const one of stems) if (meansSame(key, one)) return true;
  return false;
}
