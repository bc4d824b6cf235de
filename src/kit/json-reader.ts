import type { Json } from './json.ts';

/**
 * Parses JSON name by name; throws SyntaxError. It exists for one defect: V8 14.6 (Node 26)
 * remembers the names of objects it has parsed, and where it remembers `\\` it takes any one-letter name that is
 * written as an escape for that one, so that one caller's `{"\\\\":1}` changed another's `{"\\u662f":1}`. Texts with
 * such names come here and never reach that memory. Ten times slower, and rare.
 */
export function readJson(text: string): Json {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw new SyntaxError('trailing text');
  }

  #object(): Json {
    const entries: [string, Json][] = [];
    this.#list('}', () => {
      this.#space();
      const name = this.#string();
      this.#space();
      this.#expect(':');
      entries.push([name, this.value()]);
    });
    return Object.fromEntries(entries);
  }

  #array(): Json {
    const items: Json[] = [];
    this.#list(']', () => items.push(this.value()));
    return items;
  }

  /** What stands between an opening bracket and `close`, with commas between the items. */
  #list(close: string, item: () => void): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      item();
      this.#space();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    this.#expect(close);
  }

  #string(): string {
    if (this.#text[this.#at] !== '"') throw new SyntaxError('no string');
    let end = this.#at + 1;
    while (this.#text[end] !== '"') {
      if (end >= this.#text.length) throw new SyntaxError('open string');
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    return this.#scalar(end + 1) as string;
  }

  #word(): Json {
    let end = this.#at;
    while (end < this.#text.length && !/[\s,\]}]/.test(this.#text[end] ?? '')) end++;
    return this.#scalar(end);
  }

  /** Strings, numbers and words are no names, so `JSON.parse` may read them. */
  #scalar(end: number): Json {
    const value = JSON.parse(this.#text.slice(this.#at, end)) as Json;
    this.#at = end;
    return value;
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new SyntaxError(`no ${character}`);
    this.#at++;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? 'x')) this.#at++;
  }
}
