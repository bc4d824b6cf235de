import { anyOf, byForm, type Detector, type Match } from './detector.ts';

/** Flags are pairs of letters, and keys have a frame around them. */
export const emoji = byForm(
  /(?![\d#*©®™])\p{Extended_Pictographic}|[\u{1f1e6}-\u{1f1ff}]{2}|[\d#*]\ufe0f?\u20e3/gu,
  0.99,
  0.99,
);
/** ":-)" and ";P", which no address holds. */
const faces = byForm(
  /(?<![\p{L}\p{N}])(?:[:;=]['’]?[-o^]?[)(\][DPpO3/\\|*]|<3|\^_?\^)(?![\p{L}\p{N}/])/gu,
  0.95,
);
export const emoticons: Detector = anyOf(emoji, faces);
const numerals = byForm(/\p{Nd}+(?:[.,]\p{Nd}+)*/gu, 0.99, 0.99);
const spelledNumbers = byForm(
  /(?<![\p{L}\p{N}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)(?![\p{L}\p{N}])/giu,
  0.8,
);

export const digits: Detector = byForm(/\p{Nd}/gu, 0.99, 0.99);
export const numbers: Detector = {
  absent: numerals.absent,
  find: (text) => [...numerals.find(text), ...spelledNumbers.find(text)],
};
export const questionMarks: Detector = byForm(/[?？؟]/gu, 0.99, 0.99);
export const exclamationMarks: Detector = byForm(/[!！]/gu, 0.99, 0.99);
export const hashtags: Detector = byForm(/(?<![\p{L}\p{N}&])#\p{L}[\p{L}\p{N}_]*/gu, 0.95, 0.98);

const sentenceCharsMin = 8;

/** Sentences and lines that were said before, word for word. */
export const repetitions: Detector = {
  absent: 0.9,
  find(text) {
    const seen = new Set<string>();
    const matches: Match[] = [];
    for (const part of text.split(/[.!?\n]/)) {
      const words =
        part
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu)
          ?.join(' ') ?? '';
      if (words.length < sentenceCharsMin) continue;
      if (seen.has(words)) matches.push({ text: words, certainty: 0.97 });
      seen.add(words);
    }
    return matches.length > 0 ? matches : repeatedRuns(text);
  },
};

/** "buy now buy now buy now": two or three words, three times in a row. */
function repeatedRuns(text: string): readonly Match[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const length of [1, 2, 3]) {
    let same = 0;
    for (let i = length; i < words.length; i++) {
      same = words[i] === words[i - length] ? same + 1 : 0;
      if (same >= 2 * length) return [{ text: words.slice(i - length, i).join(' '), certainty: 0.93 }];
    }
  }
  return [];
}

/** Scripts that put no spaces between words. */
export const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** How many words a text has; null in a script without spaces. */
export const countWords = (text: string): number | null =>
  unspaced.test(text) ? null : (text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0);
