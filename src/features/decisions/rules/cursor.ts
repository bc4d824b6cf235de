import type { Token } from './asked.ts';

/** Words and phrases that a cursor knows, by their first word: most questions begin none of them. */
export class Phrases {
  readonly #byFirst = new Map<string, { readonly all: Set<string>; longest: number }>();

  constructor(all: Iterable<string>) {
    for (const phrase of all) {
      const words = phrase.split(' ');
      const first = words[0] ?? '';
      const known = this.#byFirst.get(first) ?? { all: new Set(), longest: 0 };
      known.all.add(phrase);
      known.longest = Math.max(known.longest, words.length);
      this.#byFirst.set(first, known);
    }
  }

  /** Whether one of them stands anywhere: what asks for none of them need not be read. */
  areIn(tokens: readonly Token[]): boolean {
    return tokens.some((_, place) => this.at(tokens, place) !== null);
  }

  /** The longest phrase that stands at a place; null where none does. */
  at(tokens: readonly Token[], place: number): readonly [phrase: string, words: number] | null {
    const known = this.#byFirst.get(tokens[place]?.text ?? '');
    if (known === undefined) return null;
    for (let count = Math.min(known.longest, tokens.length - place); count > 0; count--) {
      const part = tokens.slice(place, place + count);
      const phrase = part.map(({ text }) => text).join(' ');
      if (known.all.has(phrase) && part.every(({ kind }) => kind !== 'quoted')) return [phrase, count];
    }
    return null;
  }
}

/** Words and phrases, written with bars between them. */
export const phrases = (text: string): Phrases =>
  new Phrases(text.split('|').map((phrase) => phrase.trim().replace(/\s+/g, ' ')));

/** Reads tokens from the left. What is not there is not taken, and the cursor stays. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length;
  }

  get at(): number {
    return this.#at;
  }

  backTo(at: number): void {
    this.#at = at;
  }

  /** The longest of the phrases that begins here; null where none does. */
  take(known: Phrases): string | null {
    const [phrase, words] = known.at(this.#tokens, this.#at) ?? [null, 0];
    this.#at += words;
    return phrase;
  }

  /** Whether one of the phrases begins here or further on. */
  holds(known: Phrases): boolean {
    return known.areIn(this.#tokens.slice(this.#at));
  }

  takeKind(kind: Token['kind']): Token | null {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind) return null;
    this.#at++;
    return token;
  }

  /** Whatever comes next; null at the end. */
  takeAny(): Token | null {
    const token = this.#tokens[this.#at] ?? null;
    if (token !== null) this.#at++;
    return token;
  }
}

/** The first place at which something can be read, and the tokens before and after it. */
export function findFirst<Found>(
  tokens: readonly Token[],
  take: (cursor: Cursor) => Found | null,
): { found: Found; rest: readonly Token[] } | null {
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    cursor.backTo(at);
    const found = take(cursor);
    if (found !== null) return { found, rest: [...tokens.slice(0, at), ...tokens.slice(cursor.at)] };
  }
  return null;
}
