import type { Json } from './json.ts';

/**
 * Parses JSON in place of `JSON.parse`; throws SyntaxError. `escapedNames`: the names with escapes, decoded, in the
 * order of the text. It avoids a defect of V8 14.6 (Node 26), which guesses an object's next name from earlier
 * objects and compares the guess with the raw text: after `{"a":1,"b\\":2}`, another caller's `{"a":1,"b\n":2}` came
 * out with the first one's name. Texts with such names are parsed here.
 */
export function readJson(text: string, escapedNames: readonly string[]): Json {
  const reader = new Reader(text, escapedNames);
  const value = reader.value();
  reader.end();
  return value;
}

const quote = 0x22;
const backslash = 0x5c;
/** Longer strings are faster in native code, which costs more to call. */
const shortLength = 24;
const cacheMask = 255;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Reader {
  readonly #text: string;
  readonly #escapedNames: readonly string[];
  /** Known names by hash, to save making them again. */
  readonly #cache: string[] = [];
  #escaped = 0;
  #at = 0;

  constructor(text: string, escapedNames: readonly string[]) {
    this.#text = text;
    this.#escapedNames = escapedNames;
    for (let place = 0; place <= cacheMask; place++) this.#cache.push('');
  }

  value(): Json {
    const code = this.#next();
    switch (code) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case quote:
        return this.#string();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  end(): void {
    this.#next();
    if (this.#at < this.#text.length) throw new SyntaxError('trailing text');
  }

  #object(): Json {
    const object: Record<string, Json> = {};
    this.#at++;
    if (this.#next() === 0x7d) {
      this.#at++;
      return object;
    }
    for (;;) {
      const name = this.#name();
      if (this.#next() !== 0x3a) throw new SyntaxError('no colon');
      this.#at++;
      const value = this.value();
      if (name === '__proto__') {
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      } else object[name] = value;
      if (this.#isLast(0x7d)) return object;
      this.#next();
    }
  }

  #array(): Json {
    const items: Json[] = [];
    this.#at++;
    if (this.#next() === 0x5d) {
      this.#at++;
      return items;
    }
    for (;;) {
      items.push(this.value());
      if (this.#isLast(0x5d)) return items;
    }
  }

  /** Consumes the comma or closing bracket after an item. */
  #isLast(close: number): boolean {
    const code = this.#next();
    this.#at++;
    if (code === close) return true;
    if (code !== 0x2c) throw new SyntaxError('no comma');
    return false;
  }

  #name(): string {
    const text = this.#text;
    if (text.charCodeAt(this.#at) !== quote) throw new SyntaxError('no name');
    const start = this.#at + 1;
    let hash = 0;
    let isEscaped = false;
    let end = start;
    for (; ; end++) {
      const code = text.charCodeAt(end);
      if (code === quote) break;
      if (!(code >= 0x20)) throw new SyntaxError('no name');
      if (code === backslash) {
        isEscaped = true;
        end++;
      }
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    this.#at = end + 1;
    // The scan has decoded it and found it well-formed.
    return isEscaped ? (this.#escapedNames[this.#escaped++] ?? '') : this.#cached(start, end, hash);
  }

  #cached(start: number, end: number, hash: number): string {
    const place = (hash ^ (hash >>> 8)) & cacheMask;
    const known = this.#cache[place] as string;
    if (known.length === end - start && this.#text.startsWith(known, start)) return known;
    return (this.#cache[place] = this.#text.slice(start, end));
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    const shortEnd = start + shortLength;
    for (let end = start; end < shortEnd; end++) {
      const code = text.charCodeAt(end);
      if (code === quote) {
        this.#at = end + 1;
        return text.slice(start, end);
      }
      if (code === backslash) break;
      if (!(code >= 0x20)) throw new SyntaxError('open string');
    }
    const end = endOfString(text, start);
    this.#at = end + 1;
    return JSON.parse(text.slice(start - 1, end + 1)) as string;
  }

  #word(word: string, value: Json): Json {
    if (!this.#text.startsWith(word, this.#at)) throw new SyntaxError('no value');
    this.#at += word.length;
    return value;
  }

  #number(): number {
    const text = this.#text;
    let value = 0;
    let end = this.#at;
    let code = text.charCodeAt(end);
    const first = code;
    while (code >= 0x30 && code <= 0x39 && end - this.#at < 15) {
      value = value * 10 + code - 0x30;
      code = text.charCodeAt(++end);
    }
    const digits = end - this.#at;
    const isPlain = digits > 0 && digits < 15 && (digits === 1 || first !== 0x30);
    if (!isPlain || code === 0x2e || code === 0x65 || code === 0x45) return this.#longNumber();
    this.#at = end;
    return value;
  }

  #longNumber(): number {
    number.lastIndex = this.#at;
    const [found] = number.exec(this.#text) ?? [];
    if (found === undefined) throw new SyntaxError('no value');
    this.#at += found.length;
    return Number(found);
  }

  /** Skips spaces and returns the next character; NaN at the end. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = this.#text.charCodeAt(++this.#at);
    }
    return code;
  }
}

/** Position of the closing quote. Throws SyntaxError. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0) {
    let slashes = 0;
    while (end - slashes > from && text.charCodeAt(end - slashes - 1) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  throw new SyntaxError('open string');
}
