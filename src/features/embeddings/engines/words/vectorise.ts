import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { EmbeddingSize } from '../../embedding.ts';
import { layOut, turnLength, writeParts } from './layout.ts';
import { commonDirections, createLexicon, removeFrom, type Lexicon } from './lexicon.ts';

/**
 * Length of the words' part beside that of the meaning; each is normalised first, so that the cosine of two texts is
 * the weighted mean of the cosines of their parts. Chosen on messages of two intent sets (bench/embeddings), where
 * values from 0.3 to 0.7 differ little.
 */
const wordsWeight = 0.5;
/** Hashes of pieces of unknown words count this much beside a word. */
const pieceWeight = 0.4;

export type Vectorise = (text: string, size: EmbeddingSize) => Float32Array;

/** Turns a text into its vector. Deterministic; the zero vector for a text without any word. */
export function createVectorise(
  vectors: WordVectors,
  common: readonly Float64Array[] = commonDirections(vectors),
): Vectorise {
  const lexicon = createLexicon(vectors);
  const meaning = new Float64Array(turnLength);
  const layouts = { 1024: layOut(vectors.dimensions, 1024), 2560: layOut(vectors.dimensions, 2560) };
  const words = {
    1024: new Float64Array(layouts[1024].places),
    2560: new Float64Array(layouts[2560].places),
  };
  return (text, dimensions) => {
    const size = lexicon.split(text);
    const layout = layouts[dimensions];
    sumMeaning(meaning.fill(0), lexicon, size, vectors);
    for (const direction of common) removeFrom(meaning, direction);
    scaleTo(1, meaning);
    sumWords(words[dimensions].fill(0), lexicon, size);
    scaleTo(wordsWeight * Math.sqrt(layout.energy), words[dimensions]);
    const vector = new Float32Array(dimensions);
    writeParts(vector, layout, meaning, words[dimensions]);
    return vector;
  };
}

function sumMeaning(sum: Float64Array, lexicon: Lexicon, size: number, vectors: WordVectors): void {
  for (let place = 0; place < size; place++) {
    const word = lexicon.wordAt(place);
    const row = lexicon.rowOf(word);
    const meaning = lexicon.meaningOf(word);
    if (row !== -1 && meaning > 0) vectors.addTo(sum, row, meaning * lexicon.countOf(word));
  }
}

/** Hashed bag of stems: each word adds to two places with signs of its own, so that collisions cancel out. */
function sumWords(sum: Float64Array, lexicon: Lexicon, size: number): void {
  for (let place = 0; place < size; place++) {
    const word = lexicon.wordAt(place);
    const rarity = lexicon.rarityOf(word);
    if (rarity === 0) continue;
    const count = lexicon.countOf(word);
    const weight = count === 1 ? rarity : rarity * (1 + Math.log(count));
    add(sum, lexicon.hashOf(word), weight);
    const pieces = lexicon.piecesOf(word);
    for (const piece of pieces) add(sum, piece, (pieceWeight * weight) / Math.sqrt(pieces.length));
  }
}

function add(sum: Float64Array, hash: number, weight: number): void {
  const first = hash % sum.length;
  const other = Math.imul(hash, 0x9e3779b1) >>> 0;
  const second = other % sum.length;
  sum[first] = (sum[first] ?? 0) + (hash & 0x8000_0000 ? -weight : weight);
  sum[second] = (sum[second] ?? 0) + (other & 0x8000_0000 ? -weight : weight);
}

/** Makes the values as long together as the weight; zeros stay zeros. */
function scaleTo(weight: number, values: Float64Array): void {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] ?? 0) ** 2;
  if (squares === 0) return;
  const factor = weight / Math.sqrt(squares);
  for (let i = 0; i < values.length; i++) values[i] = (values[i] ?? 0) * factor;
}
