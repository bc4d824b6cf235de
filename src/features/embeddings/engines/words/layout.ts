import { hashWord } from '../../../../kernel/kit/word-vectors.ts';

/** Dimensions of a vector in a row that hold the same. */
interface Stretch {
  readonly at: number;
  readonly length: number;
  /** `meaning` as it is; `turned`: all of it once more in other directions; `words`: the next places of theirs. */
  readonly part: 'meaning' | 'turned' | 'words';
  /** Only of `turned`: per value plus or minus what keeps the length. */
  readonly signs: Float64Array;
}

export interface Layout {
  /** Values of the words' part. */
  readonly places: number;
  /** What the squares of a vector's meaning sum up to, when the meaning has length 1. */
  readonly energy: number;
  readonly stretches: readonly Stretch[];
}

/** Values of a turned meaning: a power of two. The plain one and its words fill as many. */
export const turnLength = 128;
const wordsLength = 64;

/**
 * Meaning and words take turns, because callers cut vectors to their first dimensions and each cut should hold both.
 * The meaning comes several times, each time turned: that changes no cosine, but 100 bits of it say too little, and
 * words fill few places, so that most of their bits are the same for all texts. (With the meaning once and words behind
 * it, 1,024 bits found 4 messages in 100 fewer.)
 */
export function layOut(dimensions: number, size: number): Layout {
  const pattern: Pick<Stretch, 'part' | 'length'>[] = [
    { part: 'meaning', length: dimensions },
    { part: 'words', length: turnLength - dimensions },
  ];
  for (let at = turnLength; at < size; at += turnLength + wordsLength)
    pattern.push({ part: 'turned', length: turnLength }, { part: 'words', length: wordsLength });
  let at = 0;
  const stretches = pattern.flatMap(({ part, length: most }): readonly Stretch[] => {
    const length = Math.min(most, size - at);
    if (length <= 0) return [];
    const signs = part === 'turned' ? signsOf(at) : new Float64Array(0);
    const stretch = { at, length, part, signs };
    at += length;
    return [stretch];
  });
  const sum = (part: Stretch['part']) =>
    stretches.reduce((total, stretch) => total + (stretch.part === part ? stretch.length : 0), 0);
  return { places: sum('words'), energy: 1 + sum('turned') / turnLength, stretches };
}

const keepsLength = 1 / Math.sqrt(turnLength);

function signsOf(seed: number): Float64Array {
  return Float64Array.from({ length: turnLength }, (_, place) =>
    hashWord(`${seed} ${place}`) & 1 ? keepsLength : -keepsLength,
  );
}

/** Writes meaning (filled up with zeros to `turnLength`) and words to their places. */
export function writeParts(
  into: Float32Array,
  { stretches }: Layout,
  meaning: Float64Array,
  words: Float64Array,
): void {
  const turned = new Float64Array(turnLength);
  let place = 0;
  for (const { part, at, length, signs } of stretches) {
    if (part === 'words') {
      for (let i = 0; i < length; i++) into[at + i] = words[place + i] ?? 0;
      place += length;
      continue;
    }
    if (part === 'turned') turn(turned, meaning, signs);
    const values = part === 'meaning' ? meaning : turned;
    for (let i = 0; i < length; i++) into[at + i] = values[i] ?? 0;
  }
}

/** A rotation: signs, then a Walsh-Hadamard transform. */
function turn(into: Float64Array, meaning: Float64Array, signs: Float64Array): void {
  // The first two of its seven rounds at once, which are the slowest one by one.
  for (let i = 0; i < turnLength; i += 4) {
    const a = (meaning[i] ?? 0) * (signs[i] ?? 0);
    const b = (meaning[i + 1] ?? 0) * (signs[i + 1] ?? 0);
    const c = (meaning[i + 2] ?? 0) * (signs[i + 2] ?? 0);
    const d = (meaning[i + 3] ?? 0) * (signs[i + 3] ?? 0);
    into[i] = a + b + c + d;
    into[i + 1] = a - b + c - d;
    into[i + 2] = a + b - c - d;
    into[i + 3] = a - b - c + d;
  }
  for (let half = 4; half < turnLength; half *= 2) {
    for (let from = 0; from < turnLength; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const a = into[i] ?? 0;
        const b = into[i + half] ?? 0;
        into[i] = a + b;
        into[i + half] = a - b;
      }
    }
  }
}
