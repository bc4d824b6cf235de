/** Uniform numbers in [0, 1) from a seed (mulberry32), so that every run draws the same. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Shuffles by the seed alone. */
export function shuffle<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const random = createRandom(seed);
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Draws at most `size` items and keeps their order. */
export function sample<Item>(items: readonly Item[], size: number, seed: number): readonly Item[] {
  if (size >= items.length) return items;
  const kept = shuffle([...items.keys()], seed).slice(0, size);
  return kept
    .toSorted((a, b) => a - b)
    .map((index) => items[index])
    .filter((item) => item !== undefined);
}
