import { type Beginning, type Candidates, type QueryVector } from '../../corpus/candidates.ts';
import { passagesPerDocument } from '../../../../kernel/store/index-documents.ts';
import { toLikenesses } from './likeness.ts';
import { diversify } from './diversify.ts';

/** Weights of the parts of a document's rank. How they were chosen is in docs/decisions. */
export const defaultWeights = {
  /** Share of the worst candidate's score by words that is taken off all, so that the others differ more. In [0, 1). */
  floor: 0.5,
  /** Likeness of meaning, beside 1 for the best passage's words. */
  meaning: 1.5,
  /** Likeness of meaning of how the document begins, which mostly tells what it is about. */
  beginning: 0,
  /** Least cosine of a passage that has none of the words, and was found by its meaning alone; from 1 on none is looked for. */
  aloneMin: 0,
  /** Words in title and headings. */
  title: 0.4,
  /** Further passages that fit, each half as much as the one before. */
  further: 0.15,
  /** A passage with every word of the query. */
  all: 0.4,
  /** Taken from a document that says the same as a better one. */
  same: 0.5,
};
export type Weights = Readonly<typeof defaultWeights>;

/** Those for vectors whose likeness says more, or less, than that of most. */
export const weightsFor = (measured: Partial<Weights> = {}): Weights => ({ ...defaultWeights, ...measured });

export interface RankedDocument {
  readonly documentId: number;
  /** Of the document alone; its place also depends on the documents before it. */
  readonly score: number;
  /** Best first. Empty where only the title fits. */
  readonly passageIds: readonly number[];
}

/** Joins passages by document. Scores by words are taken relative to the best, because their scale depends on the query. */
export function rankDocuments(
  { passages, titles, beginnings = [] }: Candidates & { readonly beginnings?: readonly Beginning[] },
  vector: QueryVector | null,
  weights: Weights = defaultWeights,
): RankedDocument[] {
  const scores = passages.map(({ score }) => score);
  const likenesses = toLikenesses(passages, vector, (place) => (scores[place] ?? 0) > 0);
  // One that has none of the words changes nothing for those that have some.
  const wordsOf = toRelative(
    scores.filter((score) => score > 0),
    weights.floor,
  );
  const bestTitle = Math.max(...titles.map(({ score }) => score), tiny);
  const documents = new Map<number, { score: number; readonly passages: ScoredPassage[] }>();
  const of = (id: number) => {
    const known = documents.get(id);
    if (known !== undefined) return known;
    const made = { score: 0, passages: [] };
    documents.set(id, made);
    return made;
  };
  for (const [place, { id, score, hasAll }] of passages.entries()) {
    if (score === 0 && likenesses.cosine(place) < weights.aloneMin) continue;
    const words = wordsOf(score) + (hasAll ? weights.all : 0);
    const scored = { id, place, score: words + weights.meaning * likenesses.toQuery(place) };
    of(Math.floor(id / passagesPerDocument)).passages.push(scored);
  }
  for (const { documentId, score } of titles) of(documentId).score += weights.title * (score / bestTitle);
  const ofBeginnings = toLikenesses(beginnings, vector);
  for (const [place, { documentId }] of beginnings.entries())
    of(documentId).score += weights.beginning * ofBeginnings.toQuery(place);
  const ranked = [...documents]
    .map(([documentId, { score, passages: found }]) => {
      const ordered = found.toSorted((a, b) => b.score - a.score || a.id - b.id);
      return {
        documentId,
        score: score + scoreOf(ordered, weights.further),
        passageIds: ordered.map(({ id }) => id),
        place: ordered[0]?.place ?? null,
      };
    })
    .toSorted((a, b) => b.score - a.score || a.documentId - b.documentId);
  const near = (a: (typeof ranked)[number], b: (typeof ranked)[number]) =>
    a.place === null || b.place === null ? 0 : likenesses.ofTwo(a.place, b.place);
  return diversify(ranked, near, weights.same).map(({ documentId, score, passageIds }) => ({
    documentId,
    score,
    passageIds,
  }));
}

interface ScoredPassage {
  readonly id: number;
  /** Among the candidates. */
  readonly place: number;
  readonly score: number;
}

const tiny = 1e-9;

/** 1 for the best. */
function toRelative(scores: readonly number[], floor: number): (score: number) => number {
  const best = Math.max(...scores, tiny);
  const off = scores.length === 0 ? 0 : floor * Math.max(0, Math.min(...scores));
  return (score) => (score > 0 ? (score - off) / (best - off) : 0);
}

/** The best passage, and a part of the two after it. One that is less like the query than most takes nothing away. */
function scoreOf(ordered: readonly ScoredPassage[], further: number): number {
  const [first, ...others] = ordered.slice(0, 3);
  return others.reduce(
    (sum, { score }, index) => sum + Math.max(0, score) * (further / 2 ** index),
    first?.score ?? 0,
  );
}
