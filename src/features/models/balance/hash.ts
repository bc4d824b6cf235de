/** FNV-1a over UTF-16 units, 32 bits: it spreads keys, and guards nothing. */
const prime = 0x01000193;
export const emptyHash = 0x811c9dc5;

/** Appends a text and its end, so that "ab", "c" and "a", "bc" differ. */
export function addText(hash: number, text: string): number {
  let value = hash;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), prime);
  return Math.imul(value ^ 0x10000, prime);
}

/** The hash as a fraction in (0, 1), after mixing: neighbours among keys are none among fractions (MurmurHash3's end). */
export function toFraction(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0) / 2 ** 32 + 2 ** -33;
}
