import type { Citation } from './events.ts';
import type { SourceBook } from './sources.ts';

/** `[1]`, and what models also write: `[1, 2]`. */
const markerPattern = /^\[(\d{1,4}(?: ?, ?\d{1,4}){0,9})\]/;
/** What may still become a marker. */
const beginningPattern = /^\[[\d, ]{0,60}$/;

/**
 * Takes markers without a source out of a text while it is told, and says where the others stand. What may be the
 * beginning of a marker is held back until it is one or not; so are the spaces before it, which go with a marker that
 * goes. Code and links are left alone: `a[1]` between backticks and `[1](…)` are no markers.
 */
export class CitationFilter {
  readonly #sources: SourceBook;
  readonly #citations: Citation[] = [];
  #held = '';
  /** UTF-16 units told so far. */
  #length = 0;
  /** Backticks that opened the code in which the text is; 0 outside of code. */
  #ticks = 0;
  #isLineStart = true;
  #swallowsSpace = false;

  constructor(sources: SourceBook) {
    this.#sources = sources;
  }

  get citations(): readonly Citation[] {
    return this.#citations;
  }

  /** What can be told of the text now. */
  push(text: string): string {
    return this.#scan(this.#held + text, false);
  }

  /** The rest. */
  end(): string {
    return this.#scan(this.#held, true);
  }

  #scan(text: string, isEnd: boolean): string {
    let told = '';
    let at = 0;
    while (at < text.length) {
      const step = this.#step(text, at, isEnd);
      if (step === null) break;
      told += this.#tell(step.told);
      at = step.next;
    }
    this.#held = text.slice(at);
    return told;
  }

  /** What stands at `at` and what becomes of it; null when more has to be known. */
  #step(text: string, at: number, isEnd: boolean): { readonly told: string; readonly next: number } | null {
    if (text[at] === '`') return this.#stepTicks(text, at, isEnd);
    const spaces = this.#ticks > 0 ? at : endOfSpaces(text, at);
    if (spaces === text.length && spaces > at && !isEnd) return null;
    if (this.#ticks > 0 || text[spaces] !== '[') {
      const plain = spaces > at ? spaces : endOfPlain(text, at);
      const next = this.#ticks > 0 ? endOfCode(text, at) : plain;
      return { told: text.slice(at, next), next };
    }
    const rest = text.slice(spaces, spaces + 64);
    const marker = markerPattern.exec(rest);
    if (marker === null) {
      if (!isEnd && beginningPattern.test(rest)) return null;
      return { told: text.slice(at, spaces + 1), next: spaces + 1 };
    }
    const next = spaces + marker[0].length;
    if (next === text.length && !isEnd) return null;
    if (text[next] === '(') return { told: text.slice(at, next), next };
    return { told: this.#replace(text.slice(at, spaces), marker[1] ?? ''), next };
  }

  #stepTicks(text: string, at: number, isEnd: boolean) {
    let next = at;
    while (text[next] === '`') next++;
    if (next === text.length && !isEnd) return null;
    const count = next - at;
    if (this.#ticks === 0) this.#ticks = count;
    else if (this.#ticks === count) this.#ticks = 0;
    return { told: text.slice(at, next), next };
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

  #tell(text: string): string {
    // A marker that stood first on its line leaves no space behind.
    const told = this.#swallowsSpace && text.startsWith(' ') ? text.slice(1) : text;
    if (text !== '') this.#swallowsSpace = false;
    this.#length += told.length;
    if (told !== '') this.#isLineStart = told.endsWith('\n');
    return told;
  }
}

function endOfSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

/** At least one unit, up to what may be special. */
function endOfPlain(text: string, from: number): number {
  let at = Math.min(from + 1, text.length);
  while (at < text.length && text[at] !== '[' && text[at] !== '`' && text[at] !== ' ') at++;
  return at;
}

function endOfCode(text: string, from: number): number {
  const next = text.indexOf('`', from);
  return next === -1 ? text.length : next;
}
