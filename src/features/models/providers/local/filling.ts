/** From this many tokens on the CPU computes attention in tiles: 64 tokens take less time than 60 of them do. */
export const tile = 64;

/**
 * Length of a chunk that is read out, with its filling, by its own length alone, so that no other chunk has a say in its
 * bits. A single token gets a second one: alone its attention is cut into a part for each thread, and the sum of the parts
 * depends on how many there are.
 *
 * A tile pays for chunks that are nearly as long. Behind 768 tokens and with heads of 128, 24 tokens took 1.06 s, 32 took
 * 1.44 and a tile 1.38; behind 1,024 and with heads of 64, 48 took 0.72 s and a tile 0.78 (CPU time, one thread).
 */
export function fillingFor(headSize: number): (length: number) => number {
  const unfilledMax = headSize > 64 ? 32 : 48;
  return (length) => {
    if (length === 1) return 2;
    return length > unfilledMax && length < tile ? tile : length;
  };
}
