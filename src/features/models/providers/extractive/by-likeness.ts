import type { Likeness } from '../../likeness.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';
import type { Unit } from './units.ts';

/** Beside the words, which find the candidates. */
const weight = 0.9;
const candidatesMax = 16;

/** The best by their words, ranked by their meaning as well; as they were where the encoder does not answer in time. */
export async function rankByLikeness(
  ranked: readonly Scored[],
  question: Question,
  likeness: Likeness | null,
  signal: AbortSignal,
  account?: string,
): Promise<readonly Scored[]> {
  if (likeness === null || ranked.length === 0) return ranked;
  const candidates = ranked.slice(0, candidatesMax);
  const texts = candidates.map(({ unit }) => textOf(unit));
  const cosines = await likeness.compare(question.text, texts, signal, account);
  if (cosines === null) return ranked;
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  const scored = candidates.map((one, at): Scored => {
    const cosine = cosines[at] ?? mean;
    return { ...one, likeness: cosine, score: one.score + weight * (cosine - mean) };
  });
  return [...scored.toSorted((a, b) => b.score - a.score), ...ranked.slice(candidatesMax)];
}

/** What it says behind what it is about. */
const textOf = ({ headings, text }: Unit): string =>
  [headings.at(-1) ?? '', text].filter((part) => part !== '').join(': ');
