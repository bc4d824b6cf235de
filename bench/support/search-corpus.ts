/** A made-up collection whose words are as frequent as those of a language: always the same for a size. */
export interface BenchDocument {
  readonly id: number;
  readonly title: string;
  readonly text: string;
  readonly domain: string;
}

export interface BenchQueries {
  readonly 'one term': readonly string[];
  readonly 'three terms, OR': readonly string[];
  readonly 'three frequent terms, OR': readonly string[];
  readonly phrase: readonly string[];
  readonly filtered: readonly string[];
}

const words = 50_000;
const wordsPerDocument = 120;
export const domains = 50;
/** Documents of this one are asked for by the filtered queries: two of a hundred. */
export const filteredDomain = 'd7.example.com';

export function createGenerator(seed = 1): { next(): number; word(): string } {
  const sums = new Float64Array(words);
  let sum = 0;
  for (let i = 0; i < words; i++) sums[i] = sum += 1 / (i + 2.7);
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  return {
    next,
    word() {
      const wanted = next() * sum;
      let low = 0;
      let high = words - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((sums[middle] ?? 0) < wanted) low = middle + 1;
        else high = middle;
      }
      return wordOf(low);
    },
  };
}

/** The word of a rank: pronounceable, so that no stemmer takes two for one. */
export function wordOf(rank: number): string {
  const consonants = 'bdfgklmnprtv';
  const vowels = 'aeiou';
  let text = '';
  for (let rest = rank + 61; rest > 0; rest = Math.floor(rest / 60))
    text += consonants.charAt(rest % 12) + vowels.charAt(Math.floor(rest / 12) % 5);
  return `${text}k`;
}

export function* documentsOf(size: number): Generator<BenchDocument> {
  const generator = createGenerator();
  for (let id = 0; id < size; id++) {
    const text = Array.from({ length: wordsPerDocument }, () => generator.word());
    yield {
      id,
      title: Array.from({ length: 4 }, () => generator.word()).join(' '),
      text: text.join(' '),
      domain: `d${id % domains}.example.com`,
    };
  }
}

export function queriesOf(count: number): BenchQueries {
  const generator = createGenerator(77);
  const ofRanks = (from: number, to: number) => wordOf(Math.floor(from + generator.next() * (to - from)));
  const make = (query: () => string) => Array.from({ length: count }, query);
  const rows: string[] = [];
  for (const { id, text } of documentsOf(count)) {
    const parts = text.split(' ');
    rows.push(parts.slice((id % 50) + 1, (id % 50) + 3).join(' '));
  }
  return {
    'one term': make(() => ofRanks(100, 20_000)),
    'three terms, OR': make(() => [ofRanks(20, 300), ofRanks(300, 3_000), ofRanks(3_000, 30_000)].join(' ')),
    'three frequent terms, OR': make(() => [ofRanks(5, 60), ofRanks(5, 60), ofRanks(5, 60)].join(' ')),
    phrase: rows.map((row) => `"${row}"`),
    filtered: make(() => ofRanks(20, 3_000)),
  };
}
