const wordsPerPiece = 6;

/** A text in pieces of a few words, which together are the text. Blanks stand in front of the words behind them. */
export function* toPieces(text: string): Generator<string> {
  let from = 0;
  let to = 0;
  let words = 0;
  for (const word of text.matchAll(/\S+/g)) {
    if (words === wordsPerPiece) {
      yield text.slice(from, to);
      from = to;
      words = 0;
    }
    to = word.index + word[0].length;
    words++;
  }
  if (words > 0) yield text.slice(from);
}
