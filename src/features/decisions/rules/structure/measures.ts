/** What words of a question measure, and the keys under which it is kept. */
interface Measure {
  readonly words: ReadonlySet<string>;
  readonly keys: RegExp;
}

const measures: readonly Measure[] = (
  [
    [
      'cost costs costing price priced expensive cheap cheaper cheapest priciest dearest paid pay',
      /price|cost|amount|total|fee|rate|quote|premium/,
    ],
    ['older younger oldest youngest old aged', /\bage\b/],
    ['heavier lighter heaviest lightest weigh weighs', /weight|mass|kg|load/],
    ['warmer hotter colder cooler warmest hottest coldest coolest warm hot cold', /temp|celsius|degree/],
    [
      'longer shorter longest shortest',
      /length|duration|minutes|seconds|hours|days|km|wait|pages|words|lines/,
    ],
    ['taller tallest tall', /height|cm/],
    ['best worst', /score|rating|grade|points|stars/],
  ] as const
).map(([words, keys]) => ({ words: new Set(words.split(' ')), keys }));

/** Whether a word of a question measures something: "cost", "older". */
export const isMeasure = (word: string): boolean => measures.some(({ words }) => words.has(word));

/** Whether a key, in words, may keep what one of the words measures. */
export const keepsMeasure = (key: string, asked: readonly string[]): boolean =>
  measures.some(({ words, keys }) => keys.test(key) && asked.some((word) => words.has(word)));
