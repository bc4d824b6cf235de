const quote = 0x22;
const backslash = 0x5c;
const openings: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closings: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Tells where a JSON object that comes in pieces is closed. Looks at each character once, and checks nothing else. */
export class ObjectScanner {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isClosed = false;

  /** Whether everything that was opened is closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) this.#read(piece.charCodeAt(at));
  }

  #read(unit: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (unit === quote) this.#isText = !this.#isText;
    else if (this.#isText) this.#isEscaped = unit === backslash;
    else if (openings.has(unit)) {
      this.#depth++;
      this.#isClosed = false;
    } else if (closings.has(unit)) this.#isClosed = --this.#depth === 0;
  }
}
