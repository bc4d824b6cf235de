import { tokenize } from '../../../kernel/kit/words.ts';
import { withoutForgedFrames } from './forged-frames.ts';
import { givesOrders } from './injected-instructions.ts';

/** Sentences that are looked at in one step. */
const sentencesAtOnce = 16;
/** Of a sentence without an end, such as a table, so much is looked at. Unit: characters. */
const sentenceMax = 2_000;

/**
 * A text without the sentences that give orders to who decides about it, for what reads texts whole. The text itself where
 * it has none, or nothing else. Yields between steps.
 */
export function* contentOf(text: string): Generator<void, string> {
  const kept: string[] = [];
  let isWhole = true;
  let looked = 0;
  const framed = yield* withoutForgedFrames(text);
  for (const line of framed.split('\n')) {
    const own: string[] = [];
    for (const [index, sentence] of line.split(/(?<=[.!?]) /).entries()) {
      const isContent = !givesOrders(tokenize(sentence.slice(0, sentenceMax)), index > 0);
      if (isContent) own.push(sentence);
      isWhole &&= isContent;
      looked += 1;
      if (looked % sentencesAtOnce === 0) yield;
    }
    kept.push(own.join(' '));
  }
  const content = kept.join('\n');
  if (isWhole) return content;
  return /[\p{L}\p{N}]/u.test(content) ? content : text;
}
