import { eld } from 'eld/small';

/** Start of a text that is looked at; the detector reads no more. Unit: characters. */
const sampleLength = 1_000;
const lettersMin = 20;
/** Texts with fewer letters need a clear lead over the second language: a title is easily Danish and Norwegian at once. */
const lettersEnough = 60;
const clearLead = 0.02;
/** The detector knows Malay but no Indonesian, and takes one for the other. */
const ambiguous = new Set(['ms']);

/**
 * ISO 639-1 code of the language of a text that declares none; null where the text is short, mixed or no language.
 * Kept apart from `toLanguage`: the tables take 43 MB and 0.25 s, which only the page thread spends, and only for the
 * first page that needs them.
 */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, sampleLength);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  if (letters < lettersMin) return null;
  const found = eld.detect(sample);
  if (!found.isReliable() || ambiguous.has(found.language)) return null;
  const [best = 0, second = 0] = Object.values(found.getScores()).toSorted((a, b) => b - a);
  return letters < lettersEnough && best - second < clearLead ? null : found.language;
}
