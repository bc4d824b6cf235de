/** Something that a detector found in a text. */
export interface Match {
  readonly text: string;
  /** How sure it is that this is what was sought, from 0.5 on. */
  readonly certainty: number;
}

/** Finds things by their form, in time linear in the text. */
export interface Detector {
  readonly find: (text: string) => readonly Match[];
  /** How sure it is that there is none, where it found none. */
  readonly absent: number;
}

/** Most matches that are collected: a text with more has many. */
export const matchesMax = 1_000;

/** A detector of all that fits an expression with the flag `g`. `judge` gives 0 to what is something else. */
export function byForm(
  form: RegExp,
  judge: number | ((found: string, before: string, after: string) => number),
  absent = 0.98,
): Detector {
  return {
    absent,
    find(text) {
      const matches: Match[] = [];
      for (const { 0: found, index } of text.matchAll(form)) {
        const end = index + found.length;
        const certainty =
          typeof judge === 'number'
            ? judge
            : judge(found, text.slice(Math.max(0, index - 24), index), text.slice(end, end + 24));
        if (certainty > 0) matches.push({ text: found, certainty });
        if (matches.length === matchesMax) break;
      }
      return matches;
    },
  };
}

/** What any of several detectors finds. */
export function anyOf(...detectors: readonly Detector[]): Detector {
  return {
    absent: Math.min(...detectors.map(({ absent }) => absent)),
    find: (text) => detectors.flatMap(({ find }) => find(text)),
  };
}
