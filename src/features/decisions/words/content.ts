import { tokenize } from '../../../kernel/kit/words.ts';
import { clauseEnds } from './analyzed-state.ts';
import { withoutForgedFrames } from './forged-frames.ts';
import { claimsRole, clauseKind } from './injected-instructions.ts';

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
      const isContent = !isOrder(tokenize(sentence.slice(0, sentenceMax)), index > 0);
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

function isOrder(tokens: readonly string[], followsOthers: boolean): boolean {
  if (followsOthers && claimsRole(tokens)) return true;
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && !clauseEnds.has(token)) continue;
    if (at > from && clauseKind(tokens.slice(from, at)) !== 'none') return true;
    from = at + 1;
  }
  return false;
}
