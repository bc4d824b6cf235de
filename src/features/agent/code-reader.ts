/** What is looked at of the text before an index. */
export const tailCharsMax = 64;

export function isCodeMark(text: string, at: number): boolean {
  return text[at] === '`' || text[at] === '~';
}

/**
 * Says while a Markdown text is read whether it is inside of code. Runs of marks have to be read whole.
 *
 *   text  -- backticks, or three tildes and more --> code
 *   code  -- on the same line: as many of the same mark --> text
 *         -- three marks and more, later: at least as many at the beginning of a line --> text
 *         -- fewer, later: as many of the same mark, or an empty line, which no code of a line spans --> text
 */
export class CodeReader {
  #mark: string | null = null;
  #count = 0;
  #isFirstLine = false;
  /** Nothing but space and marks of quotes so far. */
  #isLineHead = true;

  get isInside(): boolean {
    return this.#mark !== null;
  }

  read(text: string): void {
    for (const [run] of text.matchAll(/`+|~+|\n|[^`~\n]+/g)) {
      if (run === '\n') this.#endLine();
      else if (isCodeMark(run, 0)) this.#readMarks(run);
      else if (!/^[\s>]*$/.test(run)) this.#isLineHead = false;
    }
  }

  #readMarks(run: string): void {
    const mark = run.slice(0, 1);
    if (this.#mark === null) {
      if (mark === '`' || run.length >= fenceMin)
        [this.#mark, this.#count, this.#isFirstLine] = [mark, run.length, true];
    } else if (mark === this.#mark && this.#isEnd(run.length)) this.#mark = null;
    this.#isLineHead = false;
  }

  #isEnd(count: number): boolean {
    if (this.#isFirstLine || this.#count < fenceMin) return count === this.#count;
    return this.#isLineHead && count >= this.#count;
  }

  #endLine(): void {
    if (this.#isLineHead && this.#count < fenceMin) this.#mark = null;
    this.#isFirstLine = false;
    this.#isLineHead = true;
  }
}

const fenceMin = 3;

/**
 * What an index that follows this text would be an index of. A word may as well have a source behind it, so that only
 * what no source has, an index 0, is one there.
 */
export function operandOf(tail: string): 'code' | 'word' | 'none' {
  const token = /(?<![\p{L}\p{N}_$.])[\p{L}\p{N}_$.]+$/u.exec(tail)?.[0] ?? '';
  if (token === '')
    return /[\w$)\]](?:\([^\s()]*\)|\[[^\s[\]]*[^\s[\],\d][^\s[\]]*\])$/.test(tail) ? 'code' : 'none';
  if (token.endsWith('.')) return 'none';
  const isLetter = /^\p{L}$/u.test(token) && !/^[aI]$/i.test(token);
  return isLetter || /[_$]|\p{L}\.\p{L}/u.test(token) ? 'code' : 'word';
}
