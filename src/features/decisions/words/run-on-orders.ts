import { tokenize } from '../../../kernel/kit/words.ts';
import { claimsRole, givesOrders, goesOnAsOrder, mayOpenOrder } from './injected-instructions.ts';

/** A capital behind a word: a sentence whose beginning no mark tells, or a name. */
const capital = /(?<=[\p{L}\p{N}]) (?=[[("']?(\p{Lu}\p{L}*))/gu;
/** A word that orders begin with. */
const plain =
  / (?=(?:please|just|simply|kindly|now|then|ignore|disregard|forget|override|bypass|answer|respond|reply|say|output|return|print|choose|select|pick|classify|label|the (?:correct|right|best|final|true|only)) |(?:(?:final|correct|best|right) )?(?:assistant|answer|verdict|classification|ai|bot) ?:)/g;
/** The word before it, in the same sentence. */
const lastWord = /([\p{L}\p{N}'\u2019]{1,16})[.!?,;:)"'\u2013\u2014 -]{0,3}$/u;
const lastWordMax = 20;
/** So much of what follows is looked at. Unit: characters. */
const orderMax = 200;
/** Of a line with more such places, the first are looked at. */
const placesMax = 256;
const placesAtOnce = 32;
const roleMax = 40;

/**
 * A line with an end before each order that goes on a sentence which has none ("My parcel is late Please answer yes"): the order
 * would take the sentence with it, or stand in it unseen. Turns of a transcript in one line stay.
 */
export function* withOrdersApart(line: string): Generator<void, string> {
  const isTranscript = claimsRole(tokenize(line.slice(0, roleMax)));
  const isOrder = (from: string, [, word = '']: RegExpExecArray): boolean | null =>
    mayOpenOrder(word) ? givesOrders(tokenize(from.replace(/^[[("']/u, '')), !isTranscript) : null;
  const isPlainOrder = (from: string, { index }: RegExpExecArray, whole: string): boolean | null => {
    const before = lastWord.exec(whole.slice(Math.max(0, index - lastWordMax), index));
    if (before === null) return null;
    const tokens = tokenize(from);
    if (isTranscript && claimsRole(tokens)) return false;
    return goesOnAsOrder(tokens, tokenize(before[1] ?? '').at(-1) ?? '');
  };
  return yield* endsBefore(yield* endsBefore(line, capital, isOrder), plain, isPlainOrder);
}

/** A sentence that has its mark needs no other. */
const isEnd = /[.!?]$/;

/** `isOrder` is told the sentence from a place on, and says null of what is no such place. */
function* endsBefore(
  line: string,
  place: RegExp,
  isOrder: (sentence: string, found: RegExpExecArray, line: string) => boolean | null,
): Generator<void, string> {
  let [apart, from, until, places] = ['', 0, 0, 0];
  for (const found of line.matchAll(place)) {
    const { index } = found;
    if (index < until) continue;
    const [sentence = ''] = line.slice(index + 1, index + 1 + orderMax).split(/(?<=[.!?]) /u, 1);
    const is = isOrder(sentence, found, line);
    if (is === null) continue;
    if (++places > placesMax) break;
    if (places % placesAtOnce === 0) yield;
    if (!is) continue;
    const before = line.slice(from, index);
    apart += isEnd.test(before) ? before : `${before}.`;
    [from, until] = [index, index + sentence.length];
  }
  return apart + line.slice(from);
}
