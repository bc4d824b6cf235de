/** How well a ranking finds what it should. */
export interface RankingMeasures {
  /** Share of queries whose answer is first. */
  readonly hit1: number;
  /** Among the first five. */
  readonly hit5: number;
  /** Mean of one over the place; 0 where it is not found. */
  readonly mrr: number;
}

export async function measureRanking(
  pairs: readonly (readonly [query: string, answer: string])[],
  find: (query: string) => Promise<readonly string[]>,
): Promise<RankingMeasures> {
  const places: number[] = [];
  for (const [query, answer] of pairs) places.push((await find(query)).indexOf(answer) + 1);
  const share = (isHit: (place: number) => boolean) => places.filter(isHit).length / places.length;
  return {
    hit1: share((place) => place === 1),
    hit5: share((place) => place >= 1 && place <= 5),
    mrr: places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0) / places.length,
  };
}
