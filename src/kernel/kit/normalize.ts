/** As Unicode has it for text in streams (UAX 15): no language puts more marks on a letter. */
const marksMax = 30;

// The two that are no marks become marks. Signs of seven bits, which most texts have only, need no look.
const runs = new RegExp(`([\\p{M}\\uff9e\\uff9f]{${marksMax}})[\\p{M}\\uff9e\\uff9f]+`, 'gu');

/**
 * A normal form of a text, with at most 30 combining marks in a row. Normalising sorts the marks of a letter by
 * insertion: 80,000 of them took 1.8 s, four times as many sixteen times as long.
 */
export function normalize(text: string, form: 'NFC' | 'NFD' | 'NFKD'): string {
  return text.replaceAll(runs, '$1').normalize(form);
}
