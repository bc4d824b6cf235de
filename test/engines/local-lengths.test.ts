import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openLocalModel, type LocalModel } from '../../src/features/models/providers/local/engine.ts';
import { writeTestModel } from '../support/gguf.ts';
import { variationsOf } from '../support/rounds.ts';

const never = new AbortController().signal;
/** Around a tile of 64 and a chunk of 128; from 512 on one token alone would be read by all threads together. */
const lengths = variationsOf([1, 2, 3, 12, 31, 47, 48, 49, 50, 63, 64, 65, 127, 128, 129, 130], 2);
const prefix = Array.from({ length: 700 }, (_, index) => 300 + ((index * 37) % 90));
const suffixes = lengths.map((length) => ({
  tokens: Array.from({ length }, (_, index) => 300 + ((index * 11 + length) % 90)),
  ask: [310, 320, 330],
}));

/** The whole context as matrices fits into the memory of the first, and not into that of the second. */
const ways = { matrices: 64 * 1_048_576, 'flash attention': 32 * 1_048_576 } as const;

for (const [way, cacheBytes] of variationsOf(Object.entries(ways), 2))
  suite(`a suffix of any length, by ${way}`, () => {
    let model: LocalModel;
    before(async () => {
      model = await openLocalModel({ path: await writeTestModel(), threads: 1, cacheBytes });
    });
    after(() => model.close());

    test('is read the same way alone, after others and before them', async () => {
      const together = await model.read({ prefix, suffixes }, never);
      const reversed = await model.read({ prefix, suffixes: suffixes.toReversed() }, never);
      assert.deepEqual(reversed.toReversed(), together);
      for (const [index, suffix] of suffixes.entries()) {
        const [alone] = await model.read({ prefix, suffixes: [suffix] }, never);
        assert.deepEqual(alone, together[index]);
      }
    });

    test('is read the same way by one thread and by two', async () => {
      const two = await openLocalModel({ path: await writeTestModel(), threads: 2, cacheBytes });
      const read = await two.read({ prefix, suffixes }, never);
      await two.close();
      assert.deepEqual(read, await model.read({ prefix, suffixes }, never));
    });
  });
