import { latinLanguages, scripts } from './language-words.ts';

/** Start of a text that is looked at. Unit: characters. */
const sampleLength = 8_000;
/** Hits after which more change nothing. */
const hitsMax = 8;
/** Share of the letters that a script has to have, so that a name in it does not decide. */
const scriptShareMin = 0.3;
/** A letter that few languages have tells as much as so many words. */
const letterHits = 2;

/** How much speaks for each language, from 0 to 8, by its code. */
export function hitsOfLanguages(text: string): ReadonlyMap<string, number> {
  const sample = text.slice(0, sampleLength).toLowerCase();
  const hits = new Map<string, number>();
  const words = sample.match(/[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu) ?? [];
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const { code, words: known, letters: own } of latinLanguages) {
    const met = words.reduce((sum, word) => sum + (known.has(word.replaceAll('’', "'")) ? 1 : 0), 0);
    const ownLetters = words.reduce((sum, word) => sum + (own.test(word) ? 1 : 0), 0);
    // A share of the words, because a long text meets words of every language.
    const share = words.length === 0 ? 0 : (met + letterHits * ownLetters) / words.length;
    hits.set(code, Math.min(hitsMax, met + letterHits * ownLetters, 40 * share));
  }
  for (const { code, letters: own } of scripts) {
    const share = letters === 0 ? 0 : (sample.match(own)?.length ?? 0) / letters;
    hits.set(code, share < scriptShareMin ? 0 : hitsMax);
  }
  settle(hits, sample);
  return hits;
}

/** Ukrainian has letters that Russian has not; Japanese writes with Chinese characters too. */
function settle(hits: Map<string, number>, sample: string): void {
  if (/[іїєґ]/iu.test(sample) && hits.get('ru') !== 0) {
    hits.set('uk', hitsMax);
    hits.set('ru', 0);
  }
  if (
    /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sample) &&
    (hits.get('zh') ?? 0) + (hits.get('ja') ?? 0) > 0
  ) {
    hits.set('ja', hitsMax);
    hits.set('zh', 0);
  }
}

/** How sure a lead of so many hits makes: 0.5 without any, 0.75 with one, 0.98 with five. */
export function certaintyOfLead(lead: number): number {
  return Math.min(0.99, 1 - 0.5 * 2 ** -Math.max(0, lead));
}
