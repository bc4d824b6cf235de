/** Tokens of each text, with those that open and end it. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** A token has at least a character or two; texts beyond are not tokenized whole to see that they are too long. */
const charactersPerToken = 20;

/**
 * Cuts a text of more than `wholeMax` tokens into windows of at most `tokensMax`, at the ends of sentences where there are
 * any: as many sentences as fit, or one each. Joined they are the text; a shorter one is one window.
 */
export async function windowsOf(
  text: string,
  {
    wholeMax,
    tokensMax,
    isBySentence = false,
  }: { readonly wholeMax: number; readonly tokensMax: number; readonly isBySentence?: boolean },
  count: CountTokens,
): Promise<readonly string[]> {
  if (text.length <= wholeMax * charactersPerToken && ((await count([text]))[0] ?? 0) <= wholeMax)
    return [text];
  const charactersMax = tokensMax * charactersPerToken;
  const sentences = text.split(/(?<=[.!?。！？\n]\s)|(?<=[。！？])/u);
  const pieces = await halved(
    sentences.flatMap((sentence) => inLengths(sentence, charactersMax)),
    tokensMax,
    count,
  );
  if (isBySentence) return pieces;
  const [opening = 0] = await count(['']);
  const tokens = await count(pieces);
  const windows: string[] = [];
  let size = 0;
  for (const [index, piece] of pieces.entries()) {
    const more = (tokens[index] ?? 0) - opening;
    if (windows.length > 0 && opening + size + more <= tokensMax) windows.push(`${windows.pop()}${piece}`);
    else {
      windows.push(piece);
      size = 0;
    }
    size += more;
  }
  // Tokenizers that look across the seam of two pieces may find a token more there.
  return halved(windows, tokensMax, count);
}

/** Cuts what is too long in the middle, until nothing is. */
async function halved(
  texts: readonly string[],
  tokensMax: number,
  count: CountTokens,
): Promise<readonly string[]> {
  const tokens = await count(texts);
  if (tokens.every((one) => one <= tokensMax)) return texts;
  const cut = texts.flatMap((text, index) =>
    (tokens[index] ?? 0) > tokensMax ? inLengths(text, Math.ceil(text.length / 2)) : [text],
  );
  return cut.length === texts.length ? cut : halved(cut, tokensMax, count);
}

/** Pieces of at most so many characters, cut at a blank where the last quarter has one, and never inside a character. */
function inLengths(text: string, most: number): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > most) {
    const blank = text.lastIndexOf(' ', from + most - 1);
    let to = blank > from + most * 0.75 ? blank + 1 : from + most;
    if (/[\uDC00-\uDFFF]/.test(text[to] ?? '')) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece !== '');
}
