import { isLiteral, keysOf, type Lexeme } from './lexemes.ts';

/** Words on both sides of a place; null at the beginning and the end. */
const isSame = (one: Lexeme | undefined, other: Lexeme | undefined): boolean => {
  if (one === undefined || other === undefined) return one === other;
  const keys = keysOf(other);
  return keysOf(one).some((key) => keys.includes(key));
};

/**
 * Whether a text has something else where the sentence has this literal: between the same words, while the literal
 * itself stands beside neither of them.
 */
export function isReplaced(sentence: readonly Lexeme[], at: number, text: readonly Lexeme[]): boolean {
  const own = sentence[at];
  if (own === undefined || !isLiteral(own)) return false;
  const [before, after] = [sentence[at - 1], sentence[at + 1]];
  let isOther = false;
  for (const [place, one] of text.entries()) {
    const isBefore = before !== undefined && isSame(before, text[place - 1]);
    const isAfter = after !== undefined && isSame(after, text[place + 1]);
    if (!isBefore && !isAfter) continue;
    if (isSame(own, one)) return false;
    const isWhole = (isBefore || before === undefined) && (isAfter || after === undefined);
    isOther ||= isWhole && (isLiteral(one) || own.kind === 'name');
  }
  return isOther;
}

/** Whether a text denies something between two words that stand side by side, or with one other between, in the other. */
export function isDeniedBy(text: readonly Lexeme[], other: readonly Lexeme[]): boolean {
  return text.some(({ kind }, at) => {
    if (kind !== 'denial') return false;
    // "Keas do not migrate" denies "keas migrate".
    const [before, after] = [isDo(text[at - 1]) ? text[at - 2] : text[at - 1], text[at + 1]];
    if (before === undefined || after === undefined) return false;
    const isThere = other.some(
      (one, place) => one.kind === 'denial' && hasBeside(other, place, before, after),
    );
    return !isThere && other.some((one, place) => isSame(before, one) && isFollowed(other, place, after));
  });
}

const isDo = (one: Lexeme | undefined): boolean => /^(?:do|does|did)$/i.test(one?.text ?? '');

const hasBeside = (text: readonly Lexeme[], place: number, before: Lexeme, after: Lexeme): boolean =>
  isSame(before, text[place - 1]) || isSame(after, text[place + 1]);

const isFollowed = (text: readonly Lexeme[], place: number, after: Lexeme): boolean => {
  const [next, second] = [text[place + 1], text[place + 2]];
  if (next === undefined || next.kind === 'denial') return false;
  return isSame(after, next) || (second !== undefined && isSame(after, second));
};
