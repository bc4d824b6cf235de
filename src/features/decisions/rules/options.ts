import type { Distribution, NormalizedQuestion } from '../engine.ts';
import { isWithin, rangeOf } from './range.ts';
import type { Scalar } from './structure/nodes.ts';
import { nameOfCode } from './structure/codes.ts';
import { plain } from './structure/words.ts';
import { toChoice } from './verdict.ts';

/** Gives the certainty to the one option that names a value; null where none does, or several do. */
export function chooseValue(
  value: Scalar,
  certainty: number,
  { kind, options }: NormalizedQuestion,
): Distribution | null {
  const texts = options.map(({ name, description }) => (kind === 'score' ? description : name));
  const fits = texts.map((text) => (typeof value === 'number' ? holds(text, value) : isNamed(text, value)));
  const right = fits.indexOf(true);
  if (right < 0 || fits.indexOf(true, right + 1) >= 0) return null;
  // Numbers that are no numbers to the caller: every option has to be one.
  if (typeof value === 'number' && !texts.every((text) => rangeOf(text) !== null)) return null;
  return toChoice(options.length, right, certainty);
}

function holds(text: string, value: number): boolean {
  const range = rangeOf(text);
  return range !== null && isWithin(value, range);
}

function isNamed(text: string, value: Scalar): boolean {
  const own = plain(String(value ?? ''));
  return own !== '' && (plain(text) === own || plain(text) === nameOfCode(String(value)));
}
