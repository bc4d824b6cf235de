import type { Token } from './asked.ts';
import { Cursor, phrases } from './cursor.ts';
import { repetitions } from './detectors/shape.ts';
import type { Reading } from './reading.ts';
import { type Verdict, turnedBy, verdict } from './verdict.ts';
import { takeNot, takeText } from './wording.ts';

const be = phrases('is|are|was');
const doing = phrases('does|do|did');
const empty = phrases(
  'empty|blank|whitespace only|only whitespace|an empty string|a blank text|an empty text',
);
const repeats = phrases('repeat itself|repeat themselves|repeats itself|repeating itself');
const repetitive = phrases('repetitive|repeating itself');
const anything = phrases('anything|something|any sentence|a sentence|any line|a line|any phrase|a phrase');
const forms = phrases(
  'empty|blank|whitespace|repeat|repeats|repeating|repetitive|repeated|said twice|duplicated',
);
const within = phrases('in');
const repeated = phrases('repeated|said twice|duplicated|repeated word for word');

/** "is the text empty", "does it repeat itself": what is asked of the form of a whole text. */
export function readStateQuestion(tokens: readonly Token[], reading: Reading): Verdict | null {
  if (!forms.areIn(tokens)) return null;
  const cursor = new Cursor(tokens);
  const start = cursor.take(be) ?? cursor.take(doing);
  if (cursor.take(anything) !== null) {
    if (start === null && cursor.take(be) === null) return null;
    const isDenied = takeNot(cursor);
    if (cursor.take(repeated) === null) return null;
    return cursor.isDone || (cursor.take(within) !== null && takeText(cursor) && cursor.isDone)
      ? turnedBy(repeatsItself(reading), isDenied)
      : null;
  }
  if (!takeText(cursor)) return null;
  cursor.take(be);
  cursor.take(doing);
  const isDenied = takeNot(cursor);
  const isEmpty = cursor.take(empty) !== null;
  const asksRepetition = !isEmpty && (cursor.take(repeats) ?? cursor.take(repetitive)) !== null;
  if (!cursor.isDone || !(isEmpty || asksRepetition)) return null;
  return turnedBy(isEmpty ? isBlank(reading) : repeatsItself(reading), isDenied);
}

function isBlank({ text, structure }: Reading): Verdict {
  const isEmptyStructure = structure !== null && typeof structure === 'object' && text.trim() === '';
  return verdict(isEmptyStructure || text.trim() === '', 0.99);
}

function repeatsItself(reading: Reading): Verdict {
  const found = reading.find(repetitions);
  return found.length > 0 ? verdict(true, found[0]?.certainty ?? 0.9) : verdict(false, repetitions.absent);
}
