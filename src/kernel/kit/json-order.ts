import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { endOfString, parseString } from './json-string.ts';

const indexLikeName = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Returns the names of an object in the order of the text, where JavaScript moves names such as "10" to the front.
 * The text is scanned again once, for the first such object.
 */
export function createKeysOf(root: Json, bytes: Uint8Array): (object: JsonObject) => readonly string[] {
  let orders: ReadonlyMap<JsonObject, readonly string[]> | null = null;
  return (object) => {
    if (!hasIndexLikeName(object)) return Object.keys(object);
    orders ??= new OrderReader(bytes).read(root);
    return orders.get(object) ?? Object.keys(object);
  };
}

function hasIndexLikeName(object: JsonObject): boolean {
  for (const name in object) return indexLikeName.test(name);
  return false;
}

/** Walks a valid text and its value side by side. */
class OrderReader {
  readonly #bytes: Uint8Array;
  readonly #orders = new Map<JsonObject, readonly string[]>();
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(root: Json): ReadonlyMap<JsonObject, readonly string[]> {
    this.#visit(root);
    return this.#orders;
  }

  /** Skips a value and the spaces, comma or colon before it. */
  #visit(value: Json): void {
    this.#skip(isBetween);
    if (typeof value === 'string') this.#at = endOfString(this.#bytes, this.#at + 1) + 1;
    else if (typeof value !== 'object' || value === null) this.#skip(isPartOfWord);
    else {
      this.#at++;
      if (isJsonObject(value)) this.#visitObject(value);
      else for (const item of value) this.#visit(item);
      this.#skip(isBetween);
      this.#at++;
    }
  }

  #visitObject(object: JsonObject): void {
    if (!hasIndexLikeName(object)) {
      for (const name of Object.keys(object)) {
        this.#visit(name);
        this.#visit(object[name] as Json);
      }
      return;
    }
    const names: string[] = [];
    for (let left = Object.keys(object).length; left > 0; left--) {
      this.#skip(isBetween);
      const start = this.#at + 1;
      this.#at = endOfString(this.#bytes, start) + 1;
      const name = parseString(this.#bytes, start, this.#at - 1) ?? '';
      names.push(name);
      this.#visit(object[name] as Json);
    }
    this.#orders.set(object, names);
  }

  #skip(belongs: (byte: number) => boolean): void {
    while (this.#at < this.#bytes.length && belongs(this.#bytes[this.#at] as number)) this.#at++;
  }
}

function isBetween(byte: number): boolean {
  return byte <= 0x20 || byte === 0x2c || byte === 0x3a;
}

function isPartOfWord(byte: number): boolean {
  return byte > 0x20 && byte !== 0x2c && byte !== 0x5d && byte !== 0x7d;
}
