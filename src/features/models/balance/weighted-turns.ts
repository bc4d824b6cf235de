import type { Backend, Rank } from '../registry.ts';

/**
 * Smooth weighted round robin: each call adds every member's weight to its credit, puts the one with most credit first and
 * takes the sum of weights off it, so that weights 3 and 1 alternate as a a b a and never as a a a b. A member that is
 * missing for a while keeps its credit.
 */
export function createWeightedTurns() {
  const credits = new Map<string, Map<string, number>>();
  return ({ key, members }: Rank): readonly Backend[] => {
    const backends = members.map(({ backend }) => backend);
    const credit = credits.get(key) ?? new Map<string, number>();
    credits.set(key, credit);
    const of = ({ id }: Backend): number => credit.get(id) ?? 0;
    for (const { backend, weight } of members) credit.set(backend.id, of(backend) + weight);
    const order = backends.sort((a, b) => of(b) - of(a));
    const [first] = order;
    const sum = members.reduce((all, { weight }) => all + weight, 0);
    if (first !== undefined) credit.set(first.id, of(first) - sum);
    return order;
  };
}
