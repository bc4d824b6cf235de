import type { Distribution, NormalizedQuestion, Option } from '../engine.ts';
import { tokensOf } from './asked.ts';

/** What a rule found of a statement. */
export interface Verdict {
  readonly holds: boolean;
  /** From 0.5, which says nothing, below 1. */
  readonly certainty: number;
}

export const verdict = (holds: boolean, certainty: number): Verdict => ({ holds, certainty });

export const turnedBy = ({ holds, certainty }: Verdict, turns: boolean): Verdict => ({
  holds: holds !== turns,
  certainty,
});

const yes = new Set(['yes', 'true', 'y']);
const no = new Set(['no', 'false', 'n']);

/** Where yes and no stand among the options; null where they are no two of these, or mean something of their own. */
export function answersOf({ kind, options }: NormalizedQuestion): { yes: number; no: number } | null {
  if (kind === 'score' || options.length !== 2) return null;
  const names = options.map(({ name }) => name.trim().toLowerCase());
  const places = {
    yes: names.findIndex((name) => yes.has(name)),
    no: names.findIndex((name) => no.has(name)),
  };
  return places.yes < 0 || places.no < 0 || !options.every(saysNothingMore) ? null : places;
}

/** Whether a description only repeats the answer: a definition may ask for something else than the question does. */
function saysNothingMore({ name, description }: Option): boolean {
  if (description === '') return true;
  const [only, ...rest] = tokensOf(description);
  const [own] = tokensOf(name);
  if (only === undefined || own === undefined || rest.length > 0) return false;
  return only.text === own.text || (yes.has(own.text) ? yes : no).has(only.text);
}

/**
 * Chances of yes and no. With one certainty for both ways, a statement and its negation sum to exactly 1: no number from
 * 0.5 on is rounded when it is taken from 1.
 */
export function toAnswer({ holds, certainty }: Verdict, places: { yes: number; no: number }): Distribution {
  const right = holds ? places.yes : places.no;
  return [0, 1].map((at) => (at === right ? certainty : 1 - certainty));
}

/** One option gets the certainty, and the others share what is left. */
export function toChoice(count: number, right: number, certainty: number): Distribution {
  const other = (1 - certainty) / (count - 1);
  return Array.from({ length: count }, (_, at) => (at === right ? certainty : other));
}
