import { type Cursor, phrases } from './cursor.ts';

/** Words of questions that say what is asked of the text itself, and not of what it means. */

const articles = phrases('the|this|that|my|our|a|an|your|their');
const textAdjectives = phrases(
  `following|above|given|whole|entire|customer|customer 's|user|user 's|support|incoming|submitted|provided|input|chat|
  email|e-mail|body|text|sender 's|guest 's|client 's|original|full|review|feedback|ticket|latest|last|actual`,
);
const textNouns = phrases(
  `text|message|mail|email|e-mail|ticket|document|state|input|content|contents|body|comment|post|review|string|sentence|
  paragraph|note|notes|chat|conversation|letter|description|request|transcript|passage|article|tweet|snippet|reply|
  response|answer|feedback|report|material|data|submission|inquiry|enquiry|query`,
);
const pronouns = phrases('it|this|here|that');

const people = phrases(
  `customer|user|sender|author|writer|person|client|caller|visitor|guest|patient|applicant|speaker|buyer|reviewer|
  commenter|poster|student|employee|shopper|subscriber|member`,
);
const personalPronouns = phrases('they|he|she|someone|somebody|anyone|anybody');

/** Reads "the message", "this support ticket", "it". */
export function takeText(cursor: Cursor): boolean {
  return takeTextNoun(cursor) || cursor.take(pronouns) !== null;
}

/** Reads "the message" and "this support ticket", but no pronoun. */
export function takeTextNoun(cursor: Cursor): boolean {
  const start = cursor.at;
  cursor.take(articles);
  if (takeNoun(cursor, 2)) return true;
  cursor.backTo(start);
  return false;
}

/** At most so many adjectives, and a noun; "email" and "text" may be either. */
function takeNoun(cursor: Cursor, adjectives: number): boolean {
  const start = cursor.at;
  if (adjectives > 0 && cursor.take(textAdjectives) !== null) {
    if (takeNoun(cursor, adjectives - 1)) return true;
    cursor.backTo(start);
  }
  return cursor.take(textNouns) !== null;
}

/** Reads "the customer", "they". */
export function takePerson(cursor: Cursor): boolean {
  const start = cursor.at;
  if (cursor.take(personalPronouns) !== null) return true;
  cursor.take(articles);
  if (cursor.take(people) !== null) return true;
  cursor.backTo(start);
  return false;
}

const places = phrases('in|within|inside|anywhere in|somewhere in|inside of|of');
const nowhere = phrases('anywhere|at all|somewhere|here|in it|in there|in this|in here');

/** Reads "in the message", or nothing; whether all was read. */
export function endsInText(cursor: Cursor): boolean {
  if (cursor.isDone) return true;
  const start = cursor.at;
  if (cursor.take(nowhere) !== null && cursor.isDone) return true;
  cursor.backTo(start);
  return cursor.take(places) !== null && takeText(cursor) && cursor.isDone;
}

const negators = phrases('not|never');

/** Reads "not"; whether it was there. */
export function takeNot(cursor: Cursor): boolean {
  return cursor.take(negators) !== null;
}
