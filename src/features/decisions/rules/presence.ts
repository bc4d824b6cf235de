import { normalize } from '../../../kernel/kit/text.ts';
import type { Token } from './asked.ts';
import { Cursor, phrases } from './cursor.ts';
import { numbers, unspaced } from './detectors/shape.ts';
import { secrets } from './detectors/secrets.ts';
import { anyOf, type Detector } from './detectors/detector.ts';
import { thingNames, things } from './things.ts';
import { endsInText, takeNot, takePerson, takeText } from './wording.ts';

/** Whether a text contains something that has a form of its own. */
export interface Presence {
  readonly detector: Detector;
  /** It is asked whether there is none. */
  readonly isDenied: boolean;
  /** It is asked what a person did, which the text may tell. */
  readonly isTold?: boolean;
}

const be = phrases('is|are|was|were');
const doing = phrases('does|do|did|has|have|can|could');
const there = phrases('there');
const textVerbs = phrases(
  `contain|contains|contained|include|includes|included|have|has|mention|mentions|mentioned|show|shows|list|lists|hold|
  holds|carry|carries|feature|features|give|gives|provide|provides|reveal|reveals|expose|exposes|use|uses|share|shares`,
);
const peopleVerbs = phrases(
  `provide|provided|provides|give|gives|given|gave|leave|leaves|left|share|shared|shares|include|included|includes|
  mention|mentions|mentioned|write|written|wrote|supply|supplied|enter|entered|paste|pasted|post|posted|disclose|
  disclosed|reveal|revealed|send|sent|use|used`,
);
const lacking = phrases('lack|lacks');
const without = phrases('without|free of|free from|missing|lacking');
const found = phrases(
  `present|included|given|mentioned|contained|found|provided|visible|shown|listed|written|stated|there|in there`,
);
const seeing = phrases('can you find|can you see|do you see|do you find|can we find|can we see');
const beFound = phrases('be found|be seen|be spotted|find|see');

/** Reads a question or a statement whole; null where it is about anything else. */
export function readPresence(tokens: readonly Token[]): Presence | null {
  if (!thingNames.areIn(tokens) && !words.areIn(tokens)) return null;
  for (const read of [thereIs, doesContain, isPresent, contains, isWithout]) {
    const presence = read(new Cursor(tokens));
    if (presence !== null) return presence;
  }
  return null;
}

/** "is there a link in the text", "there are no links" */
function thereIs(cursor: Cursor): Presence | null {
  const asks = cursor.take(be) !== null;
  if (cursor.take(there) === null || (!asks && cursor.take(be) === null)) return null;
  const isDenied = takeNot(cursor);
  const thing = takeThing(cursor);
  cursor.take(found);
  return thing !== null && endsInText(cursor) ? turned(thing, isDenied) : null;
}

/** "does the message contain a link", "has the customer not left a phone number", "can you see a link" */
function doesContain(cursor: Cursor): Presence | null {
  if (cursor.take(seeing) !== null) return ended(cursor, false, true);
  if (cursor.take(doing) === null) return null;
  let isDenied = takeNot(cursor);
  const isText = takeText(cursor);
  if (!isText && !takePerson(cursor)) return null;
  if (takeNot(cursor)) isDenied = !isDenied;
  if (isText && cursor.take(lacking) !== null) isDenied = !isDenied;
  else if (cursor.take(isText ? textVerbs : peopleVerbs) === null) return null;
  return ended(cursor, isDenied, isText);
}

/** "is a link present", "can a link be found in it", "no link is given" */
function isPresent(cursor: Cursor): Presence | null {
  const asks = cursor.take(be) ?? cursor.take(doing);
  let isDenied = takeNot(cursor);
  const thing = takeThing(cursor);
  if (thing === null) return null;
  if (asks === null && cursor.take(be) === null) return null;
  if (takeNot(cursor)) isDenied = !isDenied;
  const start = cursor.at;
  if (cursor.take(found) === null && cursor.take(beFound) === null) {
    // "is a link in the text"
    cursor.backTo(start);
    if (cursor.isDone) return null;
  }
  return endsInText(cursor) ? turned(thing, isDenied) : null;
}

/** "the text does not contain a link", "contains a link", "the customer left a phone number" */
function contains(cursor: Cursor): Presence | null {
  const isPerson = takePerson(cursor);
  if (!isPerson) takeText(cursor);
  let isDenied = false;
  if (cursor.take(doing) !== null) isDenied = takeNot(cursor);
  if (cursor.take(lacking) !== null) isDenied = !isDenied;
  else if (cursor.take(isPerson ? peopleVerbs : textVerbs) === null) return null;
  return ended(cursor, isDenied, !isPerson);
}

/** "is the text free of links", "the message is without a date", "no links in the text" */
function isWithout(cursor: Cursor): Presence | null {
  const start = cursor.at;
  cursor.take(be);
  takeText(cursor);
  cursor.take(be);
  let isDenied = takeNot(cursor);
  if (cursor.take(without) !== null) isDenied = !isDenied;
  else cursor.backTo(start);
  const isBare = cursor.at === start;
  const thing = takeThing(cursor, !isBare);
  if (thing === null || !endsInText(cursor)) return null;
  // A bare name is rather a topic than a question: only "no …" says what is meant.
  return isBare && !thing.isDenied ? null : turned(thing, isDenied);
}

function ended(cursor: Cursor, isDenied: boolean, isText: boolean): Presence | null {
  const thing = takeThing(cursor);
  if (thing === null || !endsInText(cursor)) return null;
  // A customer who left a number left one to call, and a secret of people is none of machines.
  if (!isText && (thing.detector === numbers || thing.detector === secrets)) return null;
  return { ...turned(thing, isDenied), isTold: !isText };
}

const turned = ({ detector, isDenied }: Presence, turns: boolean): Presence => ({
  detector,
  isDenied: isDenied !== turns,
});

const determiners = phrases(
  `a|an|any|some|one|another|their|his|her|its|your|my|at least one|one or more|a single|any kind of|any sort of`,
);
const noDeterminers = phrases('no|zero|not any|not a|not a single');
const adjectives = phrases('valid|visible|actual|explicit|literal|complete|full|single|clickable|concrete');
const alternatives = phrases('or|or a|or an|or any|and/or');
const words = phrases('word|phrase|string|term|exact word|exact phrase|words|substring');
const partial: ReadonlySet<string> = new Set(['string', 'substring']);
const theWord = phrases('the');

/** "an e-mail address", "no links or e-mail addresses", "the word 'refund'". */
function takeThing(cursor: Cursor, mayBeBare = false): Presence | null {
  const literal = takeLiteral(cursor);
  if (literal !== null) return { detector: literal, isDenied: false };
  const isDenied = cursor.take(noDeterminers) !== null;
  const isDetermined = isDenied || cursor.take(determiners) !== null || mayBeBare;
  cursor.take(adjectives);
  const first = takeName(cursor, isDetermined);
  if (first === null) return null;
  const detectors = [first];
  while (cursor.take(alternatives) !== null) {
    const next = takeName(cursor, true);
    if (next === null) return null;
    detectors.push(next);
  }
  return { detector: detectors.length === 1 ? first : anyOf(...detectors), isDenied };
}

function takeName(cursor: Cursor, isDetermined: boolean): Detector | null {
  const thing = things.get(cursor.take(thingNames) ?? '');
  // "mentions e-mail" is no e-mail address.
  return thing === undefined || !(isDetermined || thing.isMany) ? null : thing.detector;
}

function takeLiteral(cursor: Cursor): Detector | null {
  const start = cursor.at;
  cursor.take(theWord);
  const kind = cursor.take(words);
  if (kind !== null) {
    const literal = cursor.takeKind('quoted')?.text ?? '';
    if (literal !== '') return literalDetector(literal, partial.has(kind));
  }
  cursor.backTo(start);
  return null;
}

/** Finds a text in whatever letters: as words of their own, or also inside one. */
function literalDetector(literal: string, isPartial: boolean): Detector {
  return {
    absent: 0.99,
    find(text) {
      const lower = normalize(text, 'NFC').toLowerCase();
      for (let at = lower.indexOf(literal); at >= 0; at = lower.indexOf(literal, at + 1)) {
        const goesOn = [lower[at - 1], lower[at + literal.length]].some(isOfWord);
        if (isPartial || !goesOn) return [{ text: literal, certainty: 0.99 }];
      }
      return [];
    },
  };
}

const isOfWord = (character = ' '): boolean => /[\p{L}\p{N}]/u.test(character) && !unspaced.test(character);
