import type { SourcePassage } from '../../model.ts';
import { toSubject } from './by-name.ts';
import type { ReadPassage, Unit } from './units.ts';
import { toStems } from './words.ts';

/** Words of what a unit stands in, as stems. Each text is read once, and only where it is asked about. */
export interface Places {
  /** What its page is called. */
  readonly titleOf: (unit: Unit) => ReadonlySet<string>;
  /** Everything that its passage says. */
  readonly textOf: (unit: Unit) => ReadonlySet<string>;
  /** Its headings, and what stands under the same ones. */
  readonly sectionOf: (unit: Unit) => ReadonlySet<string>;
  /** Itself and what stands beside it under the same headings, and is quoted with it where a passage is. */
  readonly around: (unit: Unit) => readonly Unit[];
}

/** Of a passage. Unit: characters. */
const textCharsMax = 50_000;
/** How far what stands around a unit reaches. Unit: units. */
const aroundMax = 1;

export function createPlaces(sources: readonly SourcePassage[], read: readonly ReadPassage[]): Places {
  const kept = new Map<string, ReadonlySet<string>>();
  const stemsOf = (name: string, stems: () => readonly string[]): ReadonlySet<string> => {
    const known = kept.get(name) ?? new Set(stems());
    kept.set(name, known);
    return known;
  };
  const unitsOf = ({ passage }: Unit): readonly Unit[] => read[passage]?.units ?? [];
  const beside = (unit: Unit): readonly Unit[] => {
    const path = unit.headings.join('\n');
    return unitsOf(unit).filter(({ headings }) => headings.join('\n') === path);
  };
  return {
    titleOf: ({ passage }) => stemsOf(`title ${passage}`, () => toStems(toSubject(sources[passage]))),
    textOf: (unit) =>
      stemsOf(`text ${unit.passage}`, () => [
        ...toStems((sources[unit.passage]?.text ?? '').slice(0, textCharsMax)),
        ...unitsOf(unit).flatMap(({ stems }) => [...stems]),
      ]),
    sectionOf: (unit) =>
      stemsOf(`section ${unit.passage} ${unit.headings.join('\n')}`, () => [
        ...toStems(unit.headings.join(' ')),
        ...beside(unit).flatMap(({ stems }) => [...stems]),
      ]),
    around: (unit) => beside(unit).filter(({ place }) => Math.abs(place - unit.place) <= aroundMax),
  };
}
