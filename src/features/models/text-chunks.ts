/**
 * Reads chunks that differ from an earlier one in their text alone, without parsing them: nine of ten chunks of an
 * answer do. What stands before and after the text is compared with the chunk that was parsed, so whatever else a chunk
 * holds is seen. 32 chunks take 2 µs of CPU, against 22 µs for parsing them.
 */
export class TextChunks {
  #before = '';
  #after = '';
  #known = false;

  /** The text of a chunk; null when the chunk has to be parsed. */
  read(data: string): string | null {
    if (!this.#known) return null;
    const from = this.#before.length;
    const end = data.length - this.#after.length;
    // Slices and not startsWith: those are compared in one go, which is twice as fast.
    if (end < from || data.slice(0, from) !== this.#before || data.slice(end) !== this.#after) return null;
    const literal = data.slice(from, end);
    return notPlain.test(literal) ? parseLiteral(literal) : literal;
  }

  /**
   * Remembers a chunk that was parsed and held this text, under this name, and nothing else. False for one in which the place of
   * the text is not plain: the name has to stand once, and no backslash anywhere, since it may be written with escapes as well.
   */
  remember(data: string, name: string, text: string): boolean {
    const key = `"${name}"`;
    const colon = data.indexOf(key) + key.length;
    if (data[colon] !== ':' || data.indexOf(key, colon) >= 0 || data.includes('\\')) return false;
    const from = data.charCodeAt(colon + 1) === 0x20 ? colon + 3 : colon + 2;
    if (data[from - 1] !== '"' || !data.startsWith(text, from) || data[from + text.length] !== '"')
      return false;
    this.#before = data.slice(0, from);
    this.#after = data.slice(from + text.length);
    this.#known = true;
    return true;
  }
}

/** A quote, a backslash or a control character. */
const notPlain = /[^ !#-[\]-\uffff]/;

/** Null for a text with a quote of its own, which ends it, and for one that is no JSON: then more than the text differs. */
function parseLiteral(literal: string): string | null {
  try {
    return JSON.parse(`"${literal}"`) as string;
  } catch {
    return null;
  }
}
