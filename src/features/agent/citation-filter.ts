import { CodeReader, isCodeMark, operandOf, tailCharsMax } from './code-reader.ts';
import type { Citation } from './events.ts';
import type { CitationIndex } from './citation-index.ts';

/** `[1]`, or `[1, 2]`, which models also write. */
const markerPattern = /^\[(\d{1,4}(?: ?, ?\d{1,4}){0,9})\]/;
const beginningPattern = /^\[[\d, ]{0,60}$/;
/** The longest marker, and the most spaces before it that are held back. */
const markerCharsMax = 64;
const spacesMax = 64;
/** The longest run of backticks or tildes: text that is held back is read again with each piece. */
const marksMax = 256;
/** Indices of code: markers without a space between them. */
const chainPattern = /^(?:\[\d{1,4}(?: ?, ?\d{1,4}){0,9}\])+/;
const indicesCharsMax = 256;

/**
 * Removes markers without a source from a streamed text, and locates the others. What may be the
 * beginning of a marker is held back until it is one or not; so are the spaces before it, which go with a marker that
 * goes. Links and code are left alone: `[1](…)`, whatever stands between marks of code, and indices such as `m[0][42]`
 * in plain text.
 */
export class CitationFilter {
  readonly #sources: CitationIndex;
  readonly #citations: Citation[] = [];
  readonly #code = new CodeReader();
  #held = '';
  /** UTF-16 units emitted so far. */
  #length = 0;
  /** The end of the text emitted so far. */
  #tail = '';
  #isLineStart = true;
  #swallowsSpace = false;

  constructor(sources: CitationIndex) {
    this.#sources = sources;
  }

  get citations(): readonly Citation[] {
    return this.#citations;
  }

  /** The part of the text that can be emitted now. */
  push(text: string): string {
    return this.#scan(this.#held + text, false);
  }

  end(): string {
    return this.#scan(this.#held, true);
  }

  #scan(text: string, isEnd: boolean): string {
    let emitted = '';
    let at = 0;
    while (at < text.length) {
      const step = this.#step(text, at, isEnd);
      if (step === null) break;
      emitted += this.#emit(step.text);
      at = step.next;
    }
    this.#held = text.slice(at);
    return emitted;
  }

  /** Reads what stands at `at`; null when more text is needed. */
  #step(text: string, at: number, isEnd: boolean): Step | null {
    if (isCodeMark(text, at)) return stepMarks(text, at, isEnd);
    if (this.#code.isInside) return plain(text, at, endOfCode(text, at));
    const spaces = endOfSpaces(text, at);
    if (spaces === text.length && spaces > at && !isEnd && spaces - at < spacesMax) return null;
    if (text[spaces] !== '[') return plain(text, at, spaces > at ? spaces : endOfPlain(text, at));
    const isAttached = spaces === at;
    const indices = isAttached ? this.#indices(text, at, isEnd) : 0;
    if (indices === null) return null;
    if (indices > 0) return plain(text, at, at + indices);
    const rest = text.slice(spaces, spaces + markerCharsMax);
    const marker = markerPattern.exec(rest);
    if (marker === null) {
      if (!isEnd && beginningPattern.test(rest)) return null;
      return plain(text, at, spaces + 1);
    }
    const next = spaces + marker[0].length;
    if (next === text.length && !isEnd) return null;
    if (text[next] === '(') return plain(text, at, next);
    return { text: this.#replace(text.slice(at, spaces), marker[1] ?? ''), next };
  }

  /** Length of the indices of code that stand here; 0 when there are none, null when more text is needed. */
  #indices(text: string, at: number, isEnd: boolean): number | null {
    const operand = operandOf(this.#tail);
    if (operand === 'none') return 0;
    const rest = text.slice(at, at + indicesCharsMax);
    const chain = chainPattern.exec(rest)?.[0] ?? '';
    const isOpen = chain.length === rest.length || beginningPattern.test(rest.slice(chain.length));
    if (isOpen && !isEnd && rest.length < indicesCharsMax) return null;
    const numbers = (chain.match(/\d+/g) ?? []).map(Number);
    const isUnknown = (id: number) => this.#sources.find(id) === undefined;
    const isCode = numbers.includes(0) || (operand === 'code' && numbers.some(isUnknown));
    return isCode ? chain.length : 0;
  }

  /** The markers that have a source, each noted; nothing, and no spaces either, when none has. */
  #replace(spaces: string, list: string): string {
    const known = list.split(',').flatMap((number) => this.#sources.find(Number(number)) ?? []);
    if (known.length === 0) {
      this.#swallowsSpace = this.#isLineStart && spaces === '';
      return '';
    }
    let start = this.#length + spaces.length;
    for (const { id, url, title } of known) {
      const end = start + `[${id}]`.length;
      this.#citations.push({ start, end, sourceId: id, url, title });
      start = end;
    }
    return spaces + known.map(({ id }) => `[${id}]`).join('');
  }

  #emit(text: string): string {
    // A marker that stood first on its line leaves no space behind.
    const emitted = this.#swallowsSpace && text.startsWith(' ') ? text.slice(1) : text;
    if (text !== '') this.#swallowsSpace = false;
    this.#length += emitted.length;
    this.#tail = (this.#tail + emitted).slice(-tailCharsMax);
    this.#code.read(emitted);
    if (emitted !== '') this.#isLineStart = emitted.endsWith('\n');
    return emitted;
  }
}

interface Step {
  readonly text: string;
  readonly next: number;
}

const plain = (text: string, at: number, next: number): Step => ({ text: text.slice(at, next), next });

function stepMarks(text: string, at: number, isEnd: boolean): Step | null {
  let next = at;
  while (text[next] === text[at] && next - at < marksMax) next++;
  return next === text.length && !isEnd && next - at < marksMax ? null : plain(text, at, next);
}

function endOfSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' && at - from < spacesMax) at++;
  return at;
}

/** At least one unit, up to what may be special. */
function endOfPlain(text: string, from: number): number {
  let at = Math.min(from + 1, text.length);
  while (at < text.length && text[at] !== '[' && text[at] !== ' ' && !isCodeMark(text, at)) at++;
  return at;
}

/** Up to a mark or behind the end of the line: with either the code may end. */
function endOfCode(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isCodeMark(text, at)) if (text[at++] === '\n') break;
  return at;
}
