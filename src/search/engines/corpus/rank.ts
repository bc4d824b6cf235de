import { passagesPerDocument, type Candidates } from '../../../storage/corpus-find.ts';

/** How much of a document's rank each thing decides. Chosen on questions about Nestor's own guide (bench/search). */
export interface Weights {
  /** Likeness of meaning, beside 1 for the best passage's words. */
  readonly meaning: number;
  /** Words in title and headings. */
  readonly title: number;
  /** Further passages that fit, each half as much as the one before. */
  readonly further: number;
  /** A passage with every word of the query. */
  readonly all: number;
}

export const defaultWeights: Weights = { meaning: 1.6, title: 0.5, further: 0.15, all: 0.25 };

export interface RankedDocument {
  readonly documentId: number;
  readonly score: number;
  /** Best first. Empty where only the title fits. */
  readonly passageIds: readonly number[];
}

/** The vector of a query, and the engine that made it. */
export interface QueryVector {
  readonly values: Float32Array;
  readonly embeddedBy: string;
}

/** Joins passages by document. Scores by words are taken relative to the best, because their scale depends on the query. */
export function rankDocuments(
  { passages, titles }: Candidates,
  vector: QueryVector | null,
  weights: Weights = defaultWeights,
): RankedDocument[] {
  const best = Math.max(...passages.map(({ score }) => score), 1e-9);
  const bestTitle = Math.max(...titles.map(({ score }) => score), 1e-9);
  const documents = new Map<number, { score: number; readonly passages: { id: number; score: number }[] }>();
  const of = (id: number) => {
    const known = documents.get(id);
    if (known !== undefined) return known;
    const made = { score: 0, passages: [] };
    documents.set(id, made);
    return made;
  };
  const likeness = likenessOf(vector);
  for (const passage of passages) {
    const words = passage.score / best + (passage.hasAll ? weights.all : 0);
    const meaning =
      passage.vector === null || passage.embeddedBy !== vector?.embeddedBy ? 0 : likeness(passage.vector);
    of(Math.floor(passage.id / passagesPerDocument)).passages.push({
      id: passage.id,
      score: words + weights.meaning * meaning,
    });
  }
  for (const { documentId, score } of titles) of(documentId).score += weights.title * (score / bestTitle);
  return [...documents]
    .map(([documentId, { score, passages: found }]) => {
      const ordered = found.toSorted((a, b) => b.score - a.score || a.id - b.id);
      const text = ordered
        .slice(0, 3)
        .reduce((sum, one, index) => sum + one.score * shareOf(index, weights.further), 0);
      return { documentId, score: score + text, passageIds: ordered.map(({ id }) => id) };
    })
    .toSorted((a, b) => b.score - a.score || a.documentId - b.documentId);
}

function shareOf(index: number, further: number): number {
  return index === 0 ? 1 : further / 2 ** (index - 1);
}

/** Cosine with stored vectors, 0 for anything less than unlike. */
function likenessOf(vector: QueryVector | null): (stored: Uint8Array) => number {
  if (vector === null) return () => 0;
  const { values } = vector;
  return (stored) => {
    const bytes = new Int8Array(stored.buffer, stored.byteOffset, stored.byteLength);
    const length = Math.min(bytes.length, values.length);
    let dot = 0;
    let own = 0;
    let other = 0;
    for (let i = 0; i < length; i++) {
      const a = values[i] ?? 0;
      const b = bytes[i] ?? 0;
      dot += a * b;
      own += a * a;
      other += b * b;
    }
    return own === 0 || other === 0 ? 0 : Math.max(0, dot / Math.sqrt(own * other));
  };
}
