const letters: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x5c: 0x5c,
  0x2f: 0x2f,
  0x62: 0x08,
  0x66: 0x0c,
  0x6e: 0x0a,
  0x72: 0x0d,
  0x74: 0x09,
};

const nearBytes = 64;
/** `JSON.parse` decodes longer names faster. */
const shortBytes = 64;

/** Decodes a name with escapes; null where it is no JSON string. `start` and `end` exclude the quotes. */
export function decodeName(bytes: Uint8Array, start: number, end: number): string | null {
  return end - start > shortBytes ? parseString(bytes, start, end) : unescape(bytes, start, end);
}

/** Position of the quote that closes a string beginning at `from`; the text's length where none does. */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  // Native search is thirty times as fast on long strings but costs as much to call as 64 bytes here.
  for (let near = at + nearBytes; at < bytes.length; near = at + nearBytes) {
    while (at < near && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
    if (at < near) return at;
    const next = bytes.indexOf(0x22, at);
    if (next < 0) return bytes.length;
    at = afterEscapes(bytes, at, next);
    if (at === next) return at;
  }
  return bytes.length;
}

/** Position of `quote`, or after it where it is escaped. */
function afterEscapes(bytes: Uint8Array, from: number, quote: number): number {
  let slashes = 0;
  while (quote - slashes > from && bytes[quote - slashes - 1] === 0x5c) slashes++;
  return slashes % 2 === 0 ? quote : quote + 1;
}

/** Decodes a JSON string; null where it is none. */
export function parseString(bytes: Uint8Array, start: number, end: number): string | null {
  try {
    return JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset + start - 1, end - start + 2).toString('utf8'),
    ) as string;
  } catch {
    return null;
  }
}

function unescape(bytes: Uint8Array, start: number, end: number): string | null {
  let text = '';
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20) return null;
    if (byte >= 0x80) return parseString(bytes, start, end);
    if (byte !== 0x5c) {
      text += String.fromCharCode(byte);
      continue;
    }
    const kind = bytes[++at] as number;
    const unit = kind === 0x75 ? hexAt(bytes, at + 1) : (letters[kind] ?? -1);
    if (unit < 0) return null;
    if (kind === 0x75) at += 4;
    text += String.fromCharCode(unit);
  }
  return text;
}

function hexAt(bytes: Uint8Array, from: number): number {
  let value = 0;
  for (let at = from; at < from + 4; at++) {
    const byte = bytes[at] ?? 0;
    const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x61 + 10;
    if (digit < 0 || digit > 15 || (byte > 0x39 && digit < 10)) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** FNV hash of a name without escapes. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = hashByte(hash, bytes[at] as number);
  return hash;
}

/** The same hash of a decoded name's UTF-8. Lone surrogates are hashed as if they had one. */
export function hashText(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) as number;
    if (code > 0xffff) at++;
    if (code < 0x80) hash = hashByte(hash, code);
    else {
      const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      hash = hashByte(hash, ((0xff00 >> (more + 1)) & 0xff) | (code >> (6 * more)));
      for (let left = more - 1; left >= 0; left--)
        hash = hashByte(hash, 0x80 | ((code >> (6 * left)) & 0x3f));
    }
  }
  return hash;
}

function hashByte(hash: number, byte: number): number {
  return Math.imul(hash, 0x01000193) ^ byte;
}
