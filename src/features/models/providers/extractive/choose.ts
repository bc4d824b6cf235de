import { isBelieved } from './belief.ts';
import type { Evidence } from './evidence.ts';
import { isFact } from './fits.ts';
import type { Question } from './question.ts';
import { bonusOf, type Scored } from './rank.ts';
import type { Unit } from './units.ts';

export interface Choice {
  /** What answers, best first, none saying what another says. Empty when nothing fits. */
  readonly chosen: readonly Scored[];
  /** What comes nearest in each passage about the subject of the question, best first. */
  readonly near: readonly Scored[];
}

/** Least coverage of what is quoted. Set on the cases of the tests. */
const coverageMin = 0.5;
/** How many units are quoted at most, and the least score of each as a share of the best one's; of what the reader takes for an answer less. */
const following = { chosenMax: 4, share: 0.75 };
const factFollowing = { chosenMax: 2, share: 0.85 };
const toldShare = 0.65;
/** How many behind the best one are looked at for evidence. */
const closeMax = 23;
const insteadShare = 0.9;
const sameShare = 0.7;
const nearMin = 0.3;
/** The first source may answer, and come near, with less than the others. */
const firstCoverageMin = 0.3;
const firstNearMin = 0.1;
const likenessMin = 0.18;
const bothMin = 1.15;
/** What the reader rather takes for an answer may have other words than the question. Of all places one in twenty answers. Unit: log odds. */
const toldMin = -1;
/** And what stands below a heading that asks nearly the same. */
const asksMin = 0.4;

export function choose(ranked: readonly Scored[], question: Question, evidence: Evidence): Choice {
  const { asked } = question;
  const { chosenMax, share } = isFact(asked) ? factFollowing : following;
  const isNear = (one: Scored, best: Scored): boolean =>
    one.score >= best.score * (isTold(one) ? toldShare : share);
  const isCompared = ranked[0]?.likeness !== undefined;
  const [first, ...others] = ranked.filter(
    (one) =>
      isTold(one) ||
      (one.coverage >= (one.unit.passage === 0 ? firstCoverageMin : coverageMin) &&
        (!isCompared || isLike(one))),
  );
  const close = first === undefined ? [] : others.filter((one) => isNear(one, first));
  const candidates = first === undefined ? [] : [first, ...close.slice(0, closeMax)];
  const order = candidates.filter((one) => evidence.isFor(one.unit) || isTold(one));
  // What names what the best does not stands in for it only where it is nearly as good.
  const instead = order.find(({ score }) => score >= (first?.score ?? 0) * insteadShare);
  const best = instead !== undefined && isBelieved(instead, ranked, question, evidence) ? instead : null;
  const chosen: Scored[] = [];
  for (const one of best === null ? [] : order.filter((one) => isNear(one, best))) {
    if (chosen.length >= chosenMax) break;
    if (chosen.every((other) => !isSaid(one.unit, other.unit))) chosen.push(one);
  }
  return { chosen, near: nearest(ranked) };
}

const isTold = ({ told, asks = 0 }: Scored): boolean =>
  asks > asksMin || (told !== undefined && told > toldMin);

/** Where meanings were compared, words alone do not make an answer, nor does a meaning that hardly has the words. */
function isLike({ coverage, likeness = 0 }: Scored): boolean {
  return likeness >= likenessMin && coverage + 2 * likeness >= bothMin;
}

/** What stands in the block of another is quoted with it. */
function isSaid(one: Unit, other: Unit): boolean {
  if (one.passage === other.passage && one.block === other.block) return true;
  return overlap(one, other) >= sameShare;
}

/** Share of the shorter unit's words that the other has too. */
function overlap(a: Unit, b: Unit): number {
  const [small, large] = a.stems.size < b.stems.size ? [a.stems, b.stems] : [b.stems, a.stems];
  let both = 0;
  for (const word of small) if (large.has(word)) both++;
  return small.size === 0 ? 1 : both / small.size;
}

function nearest(ranked: readonly Scored[]): readonly Scored[] {
  const best = new Map<number, Scored>();
  for (const one of ranked) {
    const known = best.get(one.unit.passage);
    if (known === undefined || one.coverage > known.coverage) best.set(one.unit.passage, one);
  }
  const worth = ({ coverage, unit }: Scored) => coverage + bonusOf(unit.passage);
  return [...best.values()]
    .filter(({ coverage, unit }) => coverage >= (unit.passage === 0 ? firstNearMin : nearMin))
    .toSorted((a, b) => worth(b) - worth(a) || a.unit.passage - b.unit.passage);
}
