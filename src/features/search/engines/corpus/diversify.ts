/** Places that are chosen one after the other; hits behind them are hardly read. */
const placesMax = 10;
/** Best items to choose from. Choosing among more changed nothing and costs a comparison each. */
const poolMax = 20;

/**
 * The same items in an order where the first ones differ (maximal marginal relevance): each next one is the best after
 * its score is lowered by `weight` times the square of its likeness to the nearest one before. The first stays the first.
 * Where a query is ambiguous, five hits then hold more than one meaning of it; the square hardly touches documents that
 * only share the subject.
 *
 * @param ranked Best first.
 * @param near Likeness of two, 0 for unlike and 1 for the same.
 */
export function diversify<Item extends { readonly score: number }>(
  ranked: readonly Item[],
  near: (a: Item, b: Item) => number,
  weight: number,
): Item[] {
  const pool = ranked.slice(0, poolMax).map((item) => ({ item, nearest: 0 }));
  const chosen: Item[] = [];
  while (chosen.length < placesMax && pool.length > 0) {
    const worth = pool.map(({ item, nearest }) => item.score - weight * nearest ** 2);
    // The first of equals: the order before decides.
    const [next] = pool.splice(worth.indexOf(Math.max(...worth)), 1);
    if (next === undefined) break;
    chosen.push(next.item);
    for (const other of pool) other.nearest = Math.max(other.nearest, near(next.item, other.item));
  }
  return [...chosen, ...pool.map(({ item }) => item), ...ranked.slice(poolMax)];
}
