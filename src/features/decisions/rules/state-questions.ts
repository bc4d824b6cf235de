import type { Token } from './asked.ts';
import { Cursor, phrases } from './cursor.ts';
import { hitsOfLanguages } from './detectors/language.ts';
import { repetitions } from './detectors/shape.ts';
import type { Reading } from './reading.ts';
import { type Verdict, turnedBy, verdict } from './verdict.ts';
import { takeNot, takePerson, takeText } from './wording.ts';

const be = phrases('is|are|was');
const doing = phrases('does|do|did');
const empty = phrases(
  'empty|blank|whitespace only|only whitespace|an empty string|a blank text|an empty text',
);
const repeats = phrases('repeat itself|repeat themselves|repeats itself|repeating itself');
const repetitive = phrases('repetitive|repeating itself');
const anything = phrases('anything|something|any sentence|a sentence|any line|a line|any phrase|a phrase');
const forms = phrases(
  `empty|blank|whitespace|repeat|repeats|repeating|repetitive|repeated|said twice|duplicated|capital|capitals|caps|
  uppercase|upper|question`,
);
const written = phrases('written in|typed in|in|all in|entirely in|written entirely in|written all in');
const capitals = phrases(
  'capital letters|all capital letters|capitals|all capitals|caps|all caps|uppercase|upper case|all uppercase|uppercase letters|upper case letters',
);
const question = phrases('a question|phrased as a question|a direct question');
const asks = phrases('ask|asks|asking|contain|contains|pose|poses|end with|ends with|posing|have|has');
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
  const isText = takeText(cursor);
  if (!isText && !takePerson(cursor)) return null;
  cursor.take(be);
  cursor.take(doing);
  const isDenied = takeNot(cursor);
  if (isQuestion(cursor, isText)) {
    const asked = asksSomething(reading);
    return asked && turnedBy(asked, isDenied);
  }
  if (!isText) return null;
  if (isCapital(cursor)) return inCapitals(reading, isDenied);
  const isEmpty = cursor.take(empty) !== null;
  const asksRepetition = !isEmpty && (cursor.take(repeats) ?? cursor.take(repetitive)) !== null;
  if (!cursor.isDone || !(isEmpty || asksRepetition)) return null;
  // "Title: Improve. Body: empty." tells of another one.
  if (isEmpty && /\b(?:empty|blank)\b/i.test(reading.text)) return null;
  return turnedBy(isEmpty ? isBlank(reading) : repeatsItself(reading), isDenied);
}

/** "is it a question", "does the customer ask a question" */
function isQuestion(cursor: Cursor, isText: boolean): boolean {
  const start = cursor.at;
  const isAsked = cursor.take(asks) !== null;
  if ((isAsked || isText) && cursor.take(question) !== null && cursor.isDone) return true;
  cursor.backTo(start);
  return false;
}

function isCapital(cursor: Cursor): boolean {
  const start = cursor.at;
  cursor.take(written);
  if (cursor.take(capitals) !== null && cursor.isDone) return true;
  cursor.backTo(start);
  return false;
}

/** "Have a nice day", "do it now" and "may the best win" ask nothing. */
const asking =
  /(?:^|[.!?\n]\s{0,3})(?:(?:hi|hello|hey|so|and|but|please|ok|okay)[,!]? )?(?:(?:who|whom|whose|what|when|where|why|how|which)(?:['’](?:s|re|d|ll))? (?!an? )|(?:is|are|was|were|does|did|can|could|will|would|should|has|have(?! (?:an?|fun|some|the) )|do(?! (?:it|not|so)(?: |$))|may(?! (?:the|all|your) ))(?:n['’]t)? )[\p{L}\p{N}][^.!?\n]*(?<end>[.!]?)/giu;

/** Sentences of other languages begin with other words. */
function isEnglish(text: string): boolean {
  const hits = hitsOfLanguages(text);
  return Math.max(...hits.values()) === (hits.get('en') ?? 0);
}

/** No mark of an address: "example.com/?id=7". */
const questionMark = /[?？؟](?![\p{L}\p{N}=&])/u;

/** By the question mark, which people leave out, and by how sentences begin. */
function asksSomething({ text }: Reading): Verdict | null {
  if (questionMark.test(text)) return verdict(true, 0.95);
  const ends = Array.from(text.matchAll(asking), ({ groups = {} }) => groups['end']);
  if (ends.includes('')) return verdict(true, 0.8);
  // "When I arrived, nobody was there." begins like a question, and may be one that ends in a full stop.
  return ends.length === 0 && isEnglish(text) ? verdict(false, 0.85) : null;
}

const lettersMin = 4;

/** A text with letters of both kinds is neither: some of it may be shouted. */
function inCapitals({ text }: Reading, isDenied: boolean): Verdict | null {
  const large = text.match(/\p{Lu}/gu)?.length ?? 0;
  const letters = large + (text.match(/\p{Ll}/gu)?.length ?? 0);
  if (letters < lettersMin) return null;
  const share = large / letters;
  return turnedBy(verdict(share > 0.7, share > 0.9 || share < 0.5 ? 0.97 : 0.7), isDenied);
}

function isBlank({ text, structure }: Reading): Verdict {
  const isEmptyStructure = structure !== null && typeof structure === 'object' && text.trim() === '';
  return verdict(isEmptyStructure || text.trim() === '', 0.99);
}

function repeatsItself(reading: Reading): Verdict {
  const found = reading.find(repetitions);
  return found.length > 0 ? verdict(true, found[0]?.certainty ?? 0.9) : verdict(false, repetitions.absent);
}
