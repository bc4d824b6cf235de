export interface Weighted {
  readonly id: string;
  readonly weight: number;
}

export interface Balancer {
  /** The members in the order in which a call tries them: the one whose turn it is first. */
  order(key: string, members: readonly Weighted[]): readonly string[];
}

/**
 * Smooth weighted round robin: each call adds every member's weight to its credit, takes the one with most credit and
 * takes the sum of weights off it, so that weights 3 and 1 alternate as a a b a and never as a a a b. A member that is
 * missing for a while keeps its credit.
 */
export function createBalancer(): Balancer {
  const credits = new Map<string, Map<string, number>>();
  return {
    order(key, members) {
      const [only] = members;
      if (only === undefined || members.length === 1) return members.map(({ id }) => id);
      const credit = credits.get(key) ?? new Map<string, number>();
      credits.set(key, credit);
      let sum = 0;
      for (const { id, weight } of members) {
        credit.set(id, (credit.get(id) ?? 0) + weight);
        sum += weight;
      }
      const of = (id: string): number => credit.get(id) ?? 0;
      const order = members.map(({ id }) => id).sort((a, b) => of(b) - of(a));
      const [first = only.id] = order;
      credit.set(first, of(first) - sum);
      return order;
    },
  };
}
