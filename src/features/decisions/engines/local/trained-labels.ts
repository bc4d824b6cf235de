import type { NormalizedQuestion, Option } from '../../engine.ts';
import { labelTexts } from '../../question-prompt.ts';

/** What an option is answered with. */
export interface Label {
  readonly text: string;
  /** Its spellings of one token each. */
  readonly tokens: readonly number[];
}

export interface Labels {
  /** Most options of one prompt. */
  readonly most: number;
  /** One for each option, in their order. Throws Error where the tokenizer has none for one. */
  of(kind: NormalizedQuestion['kind'], options: readonly Option[]): readonly Label[];
}

/** Models were trained with no more. */
const optionsMax = 255;

type OfWord = (word: string) => number | null;

const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const small = letters.map((letter) => letter.toLowerCase());
const numbers = (count: number, digits: number) =>
  Array.from({ length: count }, (_, at) => String(at).padStart(digits, '0'));

/** The labels that a type of decision model was trained with. Throws Error where the tokenizer lacks them. */
export function createLabels(type: string, ofWord: OfWord): Labels {
  if (type === 'lfm2-d1') return createCodes(ofWord);
  const words = type === 'openjev' ? [...letters, ...small] : labelTexts;
  const labels = words.flatMap((text): readonly Label[] => {
    const token = ofWord(text);
    return token === null ? [] : [{ text, tokens: [token] }];
  });
  const isShort = type === 'openjev' && labels.length < words.length;
  if (isShort || labels.length < 9) throw new Error('the tokenizer has no single tokens for labels');
  const known = labels.slice(0, optionsMax);
  return { most: known.length, of: (_, options) => known.slice(0, options.length) };
}

/** Words for yes and no, digits for levels, and codes for options, each in the spellings that are one token. */
function createCodes(ofWord: OfWord): Labels {
  const pool = [
    ...letters,
    ...numbers(100, 2),
    ...small,
    ...numbers(200, 1).map((number) => `#${number}`),
    ...letters.flatMap((first) => letters.map((second) => first + second)),
  ];
  const spellings = (words: readonly string[]) => [...new Set(words.flatMap((word) => ofWord(word) ?? []))];
  const plain = (text: string, words: readonly string[]): Label => {
    const tokens = spellings(words);
    if (tokens.length === 0) throw new Error(`the tokenizer has no single token for the label ${text}`);
    return { text, tokens };
  };
  const coded = (options: readonly Option[]): readonly Label[] => {
    const used = new Set<number>();
    return codesOf(options).map((wanted) => {
      const text = [wanted, ...pool].find((code) => !used.has(ofWord(code) ?? -1) && ofWord(code) !== null);
      if (text === undefined) throw new Error('the tokenizer has too few single tokens for labels');
      used.add(ofWord(text) ?? -1);
      return { text, tokens: spellings([text, ` ${text}`]) };
    });
  };
  const most = Math.min(optionsMax, spellings(pool).length);
  const known = {
    true: plain('true', ['yes', 'Yes', 'YES']),
    false: plain('false', ['no', 'No', 'NO']),
  };
  return {
    most,
    of(kind, options) {
      if (kind === 'choice') return coded(options);
      if (kind === 'score') return options.map(({ name }) => plain(name, [name]));
      return options.map(({ name }) => known[name === 'true' ? 'true' : 'false']);
    },
  };
}

function codesOf(options: readonly Option[]): readonly string[] {
  if (options.every(({ name }) => /^[a-z]$/i.test(name))) return options.map(({ name }) => name);
  return options.length <= letters.length ? letters.slice(0, options.length) : numbers(options.length, 2);
}
