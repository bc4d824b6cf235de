import { tokenize } from '../../../kit/words.ts';
import type { WordVectors } from '../../../kit/word-vectors.ts';
import type { EmbeddingSize } from '../../embedding.ts';
import { commonDirection, createLexicon, type Lexicon } from './lexicon.ts';

/**
 * Parts of a vector, in this order, because callers may cut it to its first dimensions: what the words mean together,
 * then which words they are. Each part is normalised and weighted, so that the cosine of two texts is the weighted
 * mean of the cosines of their parts. Weights were chosen on the training half of two intent sets (bench/embeddings).
 */
const meaningWeight = 1;
const wordsWeight = 0.5;
/** Hashes of pieces of unknown words count this much beside a word. */
const pieceWeight = 0.4;

export type Vectorise = (text: string, size: EmbeddingSize) => Float32Array;

/** Turns a text into its vector. Deterministic; the zero vector for a text without any word. */
export function createVectorise(vectors: WordVectors): Vectorise {
  const lexicon = createLexicon(vectors);
  const common = commonDirection(vectors);
  return (text, size) => {
    const counts = countWords(text);
    const vector = new Float32Array(size);
    writeScaled(vector, 0, meaningOf(counts, lexicon, vectors, common), meaningWeight);
    const words = wordsOf(counts, lexicon, size - vectors.dimensions);
    writeScaled(vector, vectors.dimensions, words, wordsWeight);
    return vector;
  };
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of tokenize(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function meaningOf(
  counts: ReadonlyMap<string, number>,
  lexicon: Lexicon,
  vectors: WordVectors,
  common: Float64Array,
): Float64Array {
  const sum = new Float64Array(vectors.dimensions);
  for (const [word, count] of counts) {
    const { row, meaning } = lexicon(word);
    if (row !== -1 && meaning > 0) vectors.addTo(sum, row, meaning * count);
  }
  let along = 0;
  for (let i = 0; i < sum.length; i++) along += (sum[i] ?? 0) * (common[i] ?? 0);
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) - along * (common[i] ?? 0);
  return sum;
}

/** Hashed bag of stems: each word adds to two places with signs of its own, so that collisions cancel out. */
function wordsOf(counts: ReadonlyMap<string, number>, lexicon: Lexicon, places: number): Float64Array {
  const sum = new Float64Array(places);
  const add = (hash: number, weight: number) => {
    const first = hash % places;
    const second = Math.imul(hash, 0x9e3779b1) >>> 0;
    sum[first] = (sum[first] ?? 0) + (hash & 0x8000_0000 ? -weight : weight);
    sum[second % places] = (sum[second % places] ?? 0) + (second & 0x8000_0000 ? -weight : weight);
  };
  for (const [word, count] of counts) {
    const { rarity, hash, pieces } = lexicon(word);
    if (rarity === 0) continue;
    const weight = rarity * (1 + Math.log(count));
    add(hash, weight);
    for (const piece of pieces) add(piece, (pieceWeight * weight) / Math.sqrt(pieces.length));
  }
  return sum;
}

/** Writes the values at `offset`, as long together as the weight; zeros stay zeros. */
function writeScaled(into: Float32Array, offset: number, values: Float64Array, weight: number): void {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? 0) ** 2;
  if (squares === 0) return;
  const factor = weight / Math.sqrt(squares);
  for (let i = 0; i < values.length; i++) into[offset + i] = (values[i] ?? 0) * factor;
}
