import { tokenize } from '../../../kernel/kit/words.ts';
import { claimsRole, givesOrders, mayOpenOrder } from './injected-instructions.ts';

/** A capital behind a word: a sentence whose beginning no mark tells, or a name. */
const capital = /(?<=[\p{L}\p{N}]) (?=[[("']?(\p{Lu}\p{L}*))/gu;
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
  let [apart, from, places] = ['', 0, 0];
  for (const { index, 1: word = '' } of line.matchAll(capital)) {
    if (!mayOpenOrder(word)) continue;
    if (++places > placesMax) break;
    if (places % placesAtOnce === 0) yield;
    const [sentence = ''] = line.slice(index + 1, index + 1 + orderMax).split(/(?<=[.!?]) /u, 1);
    if (!givesOrders(tokenize(sentence.replace(/^[[("']/u, '')), !isTranscript)) continue;
    apart += `${line.slice(from, index)}.`;
    from = index;
  }
  return apart + line.slice(from);
}
