import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { FoundPassage, QueryVector } from '../../corpus/candidates.ts';
import { defaultWeights, rankDocuments, weightsFor } from './rank.ts';

/** The only passage of a document. */
function passage(
  documentId: number,
  score: number,
  values: readonly number[] | null,
  embeddedBy = 'ours',
): FoundPassage {
  const vector = values === null ? null : new Uint8Array(toBytes(values).buffer);
  return { id: documentId * 1_024, score, hasAll: false, vector, embeddedBy };
}

/** As stored: the largest value is 127. */
function toBytes(values: readonly number[]): Int8Array {
  const largest = Math.max(...values.map(Math.abs));
  return Int8Array.from(values, (value) => Math.round((value * 127) / largest));
}

const query = (...values: readonly number[]): QueryVector => ({
  values: Float32Array.from(values),
  embeddedBy: 'ours',
});

function order(passages: readonly FoundPassage[], vector: QueryVector | null): readonly number[] {
  return rankDocuments({ passages, titles: [] }, vector).map(({ documentId }) => documentId);
}

suite('ranking of candidates', () => {
  test('nothing found is an empty ranking', () => {
    assert.deepEqual(rankDocuments({ passages: [], titles: [] }, query(1, 0)), []);
  });

  test('meaning lifts a passage over one whose words fit a little better', () => {
    const passages = [passage(1, 10, [0, 1]), passage(2, 9, [1, 0])];
    assert.deepEqual(order(passages, null), [1, 2]);
    assert.deepEqual(order(passages, query(1, 0)), [2, 1]);
  });

  test('meaning weighs what was measured for its engine', () => {
    const passages = [passage(1, 10, [0.72, 0.694]), passage(2, 6, [0.8, 0.6])];
    const first = (meaning?: number) =>
      rankDocuments(
        { passages, titles: [] },
        query(1, 0),
        weightsFor(meaning === undefined ? {} : { meaning }),
      )[0]?.documentId;
    assert.deepEqual([first(), first(defaultWeights.meaning), first(4)], [1, 1, 2]);
  });

  test('vectors of another engine are not compared', () => {
    const passages = [passage(1, 10, [0, 1], 'other'), passage(2, 9, [1, 0], 'other')];
    assert.deepEqual(order(passages, query(1, 0)), [1, 2]);
    const mixed = [passage(1, 1, [1, 0], 'other'), passage(2, 1, [1, 0]), passage(3, 1, [0, 1])];
    assert.deepEqual(order(mixed, query(1, 0)), [2, 1, 3]);
  });

  test('a passage is as like the query as the likest of its windows', () => {
    const windows = (...values: readonly (readonly number[])[]) =>
      new Uint8Array(toBytes(values.flat()).buffer);
    const passages = [
      { ...passage(1, 10, null), vector: windows([0, 1], [0.6, 0.8], [0, 1]) },
      { ...passage(2, 10, null), vector: windows([0, 1], [1, 0]) },
      passage(3, 10, [0.8, 0.6]),
    ];
    assert.deepEqual(order(passages, query(1, 0)), [2, 3, 1]);
  });

  test('how a document begins weighs what was measured, and what has no vector of the engine nothing', () => {
    const passages = [passage(1, 10, [0.8, 0.6]), passage(2, 9, [0.8, 0.6]), passage(3, 8, [0.8, 0.6])];
    const beginnings = [
      { ...passage(1, 0, [0, 1]), documentId: 1 },
      { ...passage(2, 0, [1, 0]), documentId: 2 },
      { ...passage(3, 0, [1, 0], 'other'), documentId: 3 },
    ];
    const ranked = (weights: Parameters<typeof weightsFor>[0]) =>
      rankDocuments({ passages, titles: [], beginnings }, query(1, 0), weightsFor({ ...weights, same: 0 }));
    assert.deepEqual(ranked({}).map(({ documentId }) => documentId), [1, 2, 3]); // prettier-ignore
    assert.deepEqual(ranked({ beginning: 2 }).map(({ documentId }) => documentId), [2, 3, 1]); // prettier-ignore
    assert.equal(ranked({})[2]?.score, ranked({ beginning: 2 })[1]?.score);
  });

  test('what all vectors of an engine have in common changes no order', () => {
    const texts = [[0.9, 0.3, 0.1], [0.2, 0.8, 0.4], [0.5, 0.5, 0.6], [0.7, -0.6, 0.2]]; // prettier-ignore
    const ranked = (common: number) => {
      const extended = (values: readonly number[]) => {
        const length = Math.hypot(...values);
        return [...values.map((value) => value / length), common];
      };
      return rankDocuments(
        { passages: texts.map((values, id) => passage(id, 4 + id / 10, extended(values))), titles: [] },
        query(...extended([0.8, 0.4, 0.3])),
      );
    };
    const [plain, high] = [ranked(0), ranked(2)];
    assert.deepEqual(
      high.map(({ documentId }) => documentId),
      plain.map(({ documentId }) => documentId),
    );
    // Cosines between 0.8 and 1 give the scores that cosines between 0 and 1 give, up to the rounding of a byte.
    for (const [place, { score }] of high.entries())
      assert.ok(Math.abs(score - (plain[place]?.score ?? Number.NaN)) < 0.1, `${place}`);
  });

  test('one that was found by its meaning alone ranks by it, and changes no score of the others', () => {
    const byWords = [passage(1, 10, [1, 0.2]), passage(2, 6, [0.5, 1]), passage(3, 4, [-1, 0.3])];
    const near = [passage(4, 0, [1, 0]), passage(5, 0, [0.9, 0.1])];
    const scores = (passages: readonly FoundPassage[]) =>
      new Map(rankDocuments({ passages, titles: [] }, query(1, 0)).map((one) => [one.documentId, one.score]));
    const [without, both] = [scores(byWords), scores([...byWords, ...near])];
    for (const [id, score] of without) assert.equal(both.get(id), score);
    assert.ok((both.get(4) ?? 0) > 0 && (both.get(4) ?? 0) < (both.get(1) ?? 0));
    assert.deepEqual(order(near, query(1, 0)), [4, 5], 'also where nothing has a word');
  });

  test('candidates that are all alike are ranked by their words, and none is NaN', () => {
    const passages = [passage(1, 3, [1, 0]), passage(2, 4, [1, 0]), passage(3, 2, [0, 0])];
    const ranked = rankDocuments({ passages, titles: [] }, query(1, 0));
    assert.equal(ranked[0]?.documentId, 2);
    assert.ok(ranked.every(({ score }) => Number.isFinite(score)));
    assert.deepEqual(order(passages, query(0, 0)), [2, 1, 3]);
  });

  test('what says the same as a better one gives way to what says something else', () => {
    // As like the query as each other, in different ways.
    const one = [0.8, 0.6];
    const another = [0.8, -0.6];
    const passages = [
      passage(1, 10, one),
      passage(2, 10, one),
      passage(3, 9.9, another),
      passage(4, 9, [-1, 0]),
    ];
    assert.deepEqual(order(passages, query(1, 0)), [1, 3, 2, 4]);
    const hasNoSpread = { ...defaultWeights, same: 0 };
    const ranked = rankDocuments({ passages, titles: [] }, query(1, 0), hasNoSpread);
    assert.deepEqual(ranked.map(({ documentId }) => documentId), [1, 2, 3, 4]); // prettier-ignore
  });

  test('every document is ranked once, however many there are', () => {
    const passages = Array.from({ length: 60 }, (_, id) =>
      passage(id, 60 - id, [Math.cos(id), Math.sin(id)]),
    );
    const titles = [{ documentId: 100, score: 3 }];
    const ranked = rankDocuments({ passages, titles }, query(1, 0));
    assert.deepEqual(
      ranked.map(({ documentId }) => documentId).toSorted((a, b) => a - b),
      [...Array.from({ length: 60 }).keys(), 100],
    );
    assert.deepEqual(ranked.find(({ documentId }) => documentId === 100)?.passageIds, []);
  });

  test('a document with more passages that fit stands before one with one', () => {
    const two = [passage(1, 10, [1, 0]), { ...passage(1, 9, [1, 0]), id: 1_025 }];
    const ranked = rankDocuments({ passages: [passage(2, 10, [1, 0]), ...two], titles: [] }, query(1, 0));
    assert.deepEqual(ranked.map(({ documentId, passageIds }) => [documentId, passageIds]), [[1, [1_024, 1_025]], [2, [2_048]]]); // prettier-ignore
  });
});
