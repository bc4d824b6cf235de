/** Links and pictures by their text, marks of emphasis and code, tags, and markers of citations. */
const links = /!?\[([^\][]{0,400})\]\([^()\s]{0,2000}\)/g;
const marks = /\*{1,3}|`+|~~|^\s{0,3}(?:#{1,6}|[-*+•]|\d{1,3}[.)])\s+|\[\d{1,4}(?: ?, ?\d{1,4}){0,9}\]/gm;
const tags = /<\/?[a-z][^<>]{0,200}>/gi;

/** A text as it is read: without markup, on one line. */
export function toPlain(text: string): string {
  return text
    .replaceAll(links, '$1')
    .replaceAll(tags, ' ')
    .replaceAll(marks, ' ')
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** For finding a quote: letters and digits alone, as spaces, case and marks say nothing about where a text is from. */
export function toQuoteKey(text: string): string {
  return toPlain(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}%$€£<>=+-]+/gu, ' ')
    .trim();
}
