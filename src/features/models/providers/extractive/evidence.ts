import { tokenize } from '../../../../kernel/kit/words.ts';
import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';
import { fits } from './fits.ts';
import { weigh } from './match.ts';
import type { Question } from './question.ts';
import type { ReadPassage, Unit } from './units.ts';
import { isContent, meansSame, stem } from './words.ts';

/** Whether a unit, where it stands, can be evidence for an answer: what is only near does not name what was asked. */
export type Evidence = (unit: Unit) => boolean;

/** Least weight of a word whose thing a passage has to name for it to say how something is done with it. */
const toolMin = 0.75;
/** Words beside the subject together weigh this much before one of them has to be met. */
const restMin = 0.5;
/** None is a count as well: "it has no dependencies". */
const count = /\bhow many\b/i;
const none = /\b(?:no|none|zero)\b/i;
/** Of a passage, read once for each that is asked about. */
const textCharsMax = 50_000;
/** How far what stands around a unit reaches. Unit: units. */
const aroundMax = 1;

/** Prepared for one question. Texts are read once, and only those that are asked about. */
export function createEvidence(
  question: Question,
  sources: readonly SourcePassage[],
  read: readonly ReadPassage[],
  vectors: WordVectors,
): Evidence {
  const units = read.flatMap((one) => one.units);
  const weights = weigh(question, units, vectors);
  const words = question.words.map(({ stem: key }, at) => ({ key, weight: weights[at] ?? 0 }));
  const kept = new Map<string, ReadonlySet<string>>();
  const stemsOf = (name: string, stems: () => readonly string[]): ReadonlySet<string> => {
    const known = kept.get(name) ?? new Set(stems());
    kept.set(name, known);
    return known;
  };
  const titleOf = ({ passage }: Unit) =>
    stemsOf(`title ${passage}`, () => toStems(toSubject(sources[passage])));
  const textOf = ({ passage }: Unit) =>
    stemsOf(`text ${passage}`, () => [
      ...toStems((sources[passage]?.text ?? '').slice(0, textCharsMax)),
      ...(read[passage]?.units ?? []).flatMap(({ stems }) => [...stems]),
    ]);
  /** What stands beside it, and is quoted with it where a passage is. */
  const around = (unit: Unit): readonly Unit[] => {
    const path = unit.headings.join('\n');
    return (read[unit.passage]?.units ?? []).filter(
      ({ place, headings }) => Math.abs(place - unit.place) <= aroundMax && headings.join('\n') === path,
    );
  };
  /** Whether its passage speaks of a thing at all. */
  const isNamed = (unit: Unit, key: string): boolean => has(textOf(unit), key) || has(titleOf(unit), key);

  const namesThing = (unit: Unit): boolean => {
    const { thing } = question;
    if (thing === null) return true;
    const { sign } = thing;
    return sign === null
      ? isNamed(unit, thing.stem)
      : leads(unit) || around(unit).some(({ text }) => sign.test(text));
  };
  const namesTools = (unit: Unit): boolean =>
    !question.isHowTo || words.every(({ key, weight }) => weight < toolMin || isNamed(unit, key));
  const namesRest = (unit: Unit): boolean => {
    const rest = words.filter(({ key }) => !has(titleOf(unit), key));
    const weight = rest.reduce((sum, one) => sum + one.weight, 0);
    const near = new Set([
      ...toStems(unit.headings.join(' ')),
      ...around(unit).flatMap(({ stems }) => [...stems]),
    ]);
    return weight < restMin || rest.some(({ key }) => has(near, key));
  };
  const isCount = count.test(question.text);
  const isAsked = isShown(question);
  const namesFact = (unit: Unit): boolean =>
    !isAsked || fits(unit, question) || leads(unit) || (isCount && none.test(unit.text));
  return (unit) => namesFact(unit) && namesThing(unit) && namesTools(unit) && namesRest(unit);
}

/** Whether an answer shows by its form: "when does it fire" may be told by a condition, "where is it kept" by code. */
function isShown({ asked, text }: Question): boolean {
  if (asked === 'time') return !condition.test(text);
  return asked === 'person' || asked === 'number';
}

const condition = /\bwhen (?:is|are|do|does|can|should|will|would)\b/i;

/** What a page is about by its title and the end of its address, which may be a name where the title is "Usage". */
const toSubject = (source: SourcePassage | undefined): string =>
  source === undefined ? '' : `${source.title} ${addressEnd.exec(source.url)?.[0] ?? ''}`;
const addressEnd = /(?:\/[^/?#]+){1,2}\/?(?=$|[?#])/;

const toStems = (text: string): readonly string[] => tokenize(text).filter(isContent).map(stem);

/** What it announces is quoted with it, and is not looked into. */
const leads = ({ text }: Unit): boolean => text.endsWith(':');

function has(stems: ReadonlySet<string>, key: string): boolean {
  if (stems.has(key)) return true;
  for (const one of stems) if (meansSame(key, one)) return true;
  return false;
}
