import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignCodes } from './sign-codes.ts';

const dimensions = 48;

/** The same numbers on every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const vectorOf = (random: () => number): Uint8Array =>
  Uint8Array.from({ length: dimensions }, () => Math.floor(random() * 255) - 127);

const signsOf = (vector: Uint8Array): readonly boolean[] =>
  [...new Int8Array(vector)].map((value) => value > 0);

const distanceOf = (a: readonly boolean[], b: readonly boolean[]): number =>
  a.filter((value, at) => value !== b[at]).length;

describe('SignCodes', () => {
  it('finds what has most signs of the query, each passage once, by the better of its windows', () => {
    const codes = new SignCodes(4, 100);
    codes.put(1, [
      { id: 10, vector: Uint8Array.of(1, 1, 1, 1) },
      { id: 11, vector: Uint8Array.of(1, 255, 255, 255, 1, 1, 1, 255) },
    ]);
    codes.put(2, [{ id: 20, vector: Uint8Array.of(1, 1, 255, 255) }]);
    assert.deepEqual(codes.nearest([0.5, 0.5, 0.5, -0.5], 10), [11, 10, 20]);
    assert.deepEqual(codes.nearest([0.5, 0.5, 0.5, -0.5], 1), [11]);
  });

  it('takes little memory for an account without documents', () => {
    assert.ok(new SignCodes(384, 20_000).room <= 64);
  });

  it('takes no vector of zeros', () => {
    const codes = new SignCodes(4, 100);
    codes.put(1, [{ id: 10, vector: new Uint8Array(4) }]);
    assert.equal(codes.size, 0);
    assert.deepEqual(codes.nearest([-1, -1, -1, -1], 10), []);
  });

  it('lets those go that changed longest ago', () => {
    const codes = new SignCodes(4, 2);
    const vector = Uint8Array.of(1, 1, 1, 1);
    for (const id of [1, 2, 1, 3]) codes.put(id, [{ id: id * 10, vector }]);
    assert.deepEqual(codes.nearest([1, 1, 1, 1], 10), [10, 30]);
  });

  it('says what a comparison with each says, whatever came and went', () => {
    const random = createRandom(7);
    const codes = new SignCodes(dimensions, 100_000);
    const known = new Map<number, readonly { readonly id: number; readonly vector: Uint8Array }[]>();
    for (let step = 0; step < 6_000; step++) {
      const document = Math.floor(random() * 400);
      if (random() < 0.4) {
        codes.remove(document);
        known.delete(document);
      } else {
        const passages = Array.from({ length: Math.floor(random() * 6) }, (_, place) => ({
          id: document * 1_024 + place,
          vector: vectorOf(random),
        }));
        codes.put(document, passages);
        known.set(document, passages);
      }
      if (step % 500 > 0) continue;
      const all = [...known.values()].flat();
      assert.equal(codes.size, all.length);
      const query = vectorOf(random);
      const asked = signsOf(query);
      const distances = new Map(all.map(({ id, vector }) => [id, distanceOf(signsOf(vector), asked)]));
      const found = codes.nearest(new Int8Array(query), 20);
      assert.equal(new Set(found).size, Math.min(20, all.length));
      // Which of those that are equally far is not said.
      assert.deepEqual(
        found.map((id) => distances.get(id)),
        [...distances.values()].toSorted((a, b) => a - b).slice(0, 20),
      );
    }
  });
});
