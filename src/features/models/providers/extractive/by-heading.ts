import type { Likeness } from '../../likeness.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';
import type { Unit } from './units.ts';

/** What is asked where a heading asks the same, beside words: about as much as all that the words of a place can say. */
const weight = 1;
/** Of the first so many headings that ask; they are short. */
const headingsMax = 16;
/** Cosines of two questions that are about the same thing, and of two that ask the same. On Nestor's guide 0.65 was reached by others. */
const cosineMin = 0.5;
const cosineSame = 0.9;

/**
 * Puts first what answers a heading that asks what is asked, also in other words: the first unit below "Does it need a GPU?" for "Do I
 * need a graphics card?". As they were where no heading asks, or the encoder does not answer in time.
 */
export async function rankByHeading(
  ranked: readonly Scored[],
  question: Question,
  likeness: Likeness | null,
  signal: AbortSignal,
  account?: string,
): Promise<readonly Scored[]> {
  if (likeness === null || !question.isAsked) return ranked;
  const begun = beginnings(ranked);
  const headings = [...new Set(begun.values())].slice(0, headingsMax);
  if (headings.length === 0) return ranked;
  const cosines = await likeness.compare(question.text, headings, signal, account);
  if (cosines === null) return ranked;
  const same = new Map(headings.map((heading, at) => [heading, toShare(cosines[at] ?? 0)]));
  return ranked
    .map((one): Scored => {
      const asks = same.get(begun.get(one.unit) ?? '') ?? 0;
      return asks === 0 ? one : { ...one, asks, score: one.score + weight * asks };
    })
    .toSorted((a, b) => b.score - a.score);
}

/** The first unit below each heading that asks, with that heading: those first that have the words of the question. */
function beginnings(ranked: readonly Scored[]): ReadonlyMap<Unit, string> {
  const first = new Map<string, Unit>();
  for (const { unit } of ranked) {
    if (unit.headings.at(-1)?.endsWith('?') !== true) continue;
    const section = [unit.passage, ...unit.headings].join('\n');
    const known = first.get(section);
    if (known === undefined || unit.place < known.place) first.set(section, unit);
  }
  return new Map([...first.values()].map((unit) => [unit, unit.headings.at(-1) ?? '']));
}

/** 0 for no more than the same subject, 1 for nearly the same question. */
const toShare = (cosine: number): number =>
  Math.max(0, Math.min(1, (cosine - cosineMin) / (cosineSame - cosineMin)));
