interface Scanned {
  /** Text that may be emitted now. */
  readonly text: string;
  /** The stop sequence that was found; the text ends before it and nothing after it may be emitted. */
  readonly stop: string | null;
}

/**
 * Looks for stop sequences in a text that arrives in pieces. Holds back the end of a text as long as it may be the
 * beginning of one, and not longer. The sequence that is complete first ends the text, however the pieces are cut; of
 * several that end at once, the longest.
 */
export class StopScanner {
  readonly #stops: readonly string[];
  readonly #lengthMax: number;
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
    this.#lengthMax = Math.max(0, ...this.#stops.map((stop) => stop.length));
  }

  push(piece: string): Scanned {
    if (this.#stops.length === 0) return { text: piece, stop: null };
    const text = this.#held + piece;
    const found = this.#find(text);
    if (found !== null) {
      this.#held = '';
      return { text: text.slice(0, found.at), stop: found.stop };
    }
    const keep = this.#beginning(text);
    this.#held = text.slice(keep);
    return { text: text.slice(0, keep), stop: null };
  }

  /** Returns the text that was held back, once no more comes. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #find(text: string): { readonly at: number; readonly stop: string } | null {
    let found: { readonly at: number; readonly stop: string } | null = null;
    for (const stop of this.#stops) {
      const at = text.indexOf(stop);
      if (at < 0) continue;
      if (found === null || endsFirst(at, stop, found)) found = { at, stop };
    }
    return found;
  }

  /** Index of the longest end of the text with which a stop sequence begins; the length of the text without one. */
  #beginning(text: string): number {
    for (let at = Math.max(0, text.length - this.#lengthMax + 1); at < text.length; at++) {
      if (this.#stops.some((stop) => stop.length > text.length - at && beginsAt(text, at, stop))) return at;
    }
    return text.length;
  }
}

/** The backend may cut its pieces anywhere, so the answer must not depend on how much came at once. */
function endsFirst(at: number, stop: string, than: { readonly at: number; readonly stop: string }): boolean {
  const end = at + stop.length;
  const otherEnd = than.at + than.stop.length;
  return end < otherEnd || (end === otherEnd && at < than.at);
}

function beginsAt(text: string, at: number, stop: string): boolean {
  for (let i = at; i < text.length; i++) if (text.charCodeAt(i) !== stop.charCodeAt(i - at)) return false;
  return true;
}
