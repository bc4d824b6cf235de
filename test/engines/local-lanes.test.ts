import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import type { Lane, NextToken } from '../../src/features/models/providers/local/lane.ts';
import { Turns } from '../../src/features/models/providers/local/turns.ts';
import { WarmLanes, type Reading } from '../../src/features/models/providers/local/warm.ts';

const never = new AbortController().signal;
const chunk = 4;

interface LaneScript {
  /** Cannot be cut, only come back to what was kept. */
  readonly recurrent?: boolean;
  /** Whether this evaluation fails. */
  readonly fails?: () => boolean;
}

/** Remembers in which chunks its tokens came: as a real one, its answer depends on them. */
function createScriptedLane({ recurrent = false, fails = () => false }: LaneScript): Lane {
  let chunks: (readonly number[])[] = [];
  let kept: (readonly number[])[] = [];
  const length = () => chunks.reduce((sum, tokens) => sum + tokens.length, 0);
  const sizeOf = (list: readonly (readonly number[])[]) =>
    list.reduce((sum, tokens) => sum + tokens.length, 0);
  const answer = (ask: readonly number[]): NextToken => {
    const hash = createHash('sha256').update(JSON.stringify(chunks)).digest();
    return { logits: ask.map((token) => hash.readInt32LE(token % 28)), maxLogit: 1, totalWeight: 1 };
  };
  async function evaluate(tokens: readonly number[]): Promise<null>;
  async function evaluate(tokens: readonly number[], ask: readonly number[]): Promise<NextToken>;
  async function evaluate(tokens: readonly number[], ask?: readonly number[]) {
    assert.ok(tokens.length > 0 && tokens.length <= chunk);
    await Promise.resolve();
    chunks.push(tokens);
    if (fails()) throw new Error('the evaluation failed');
    return ask === undefined ? null : answer(ask);
  }
  return {
    length,
    evaluate,
    write: () => assert.fail('a reading writes nothing'),
    async keep() {
      kept = [...chunks];
    },
    async rewind(to) {
      if (to >= length()) return;
      const start = chunks.findIndex((_, index) => sizeOf(chunks.slice(0, index)) === to);
      if (to === 0) chunks = [];
      else if (recurrent) chunks = sizeOf(kept) === to ? [...kept] : [];
      else if (start >= 0) chunks = chunks.slice(0, start);
      else assert.fail(`cut inside a chunk, at ${to}`);
      // The library forgets what was kept beyond the place that it goes back to.
      if (sizeOf(kept) > length()) kept = [];
    },
  };
}

function openLanes(lanes: number, script: LaneScript = {}) {
  const layouts = [
    { lanes, size: 60 },
    { lanes: 1, size: 200 },
  ];
  const warm = new WarmLanes(layouts, chunk, async (layout) =>
    Array.from({ length: layout.lanes }, () => createScriptedLane(script)),
  );
  const turns = new Turns();
  return {
    warm,
    turns,
    read: (reading: Reading, signal: AbortSignal = never) => turns.run(warm.read(reading), signal),
  };
}

function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Prefixes that begin alike, and suffixes of one to several chunks. */
function readingOf(random: (below: number) => number): Reading {
  const shared = random(20);
  const own = random(16);
  const prefix = [...Array(shared).keys(), ...Array.from({ length: own }, () => 100 + random(3))];
  const suffixes = Array.from({ length: 1 + random(4) }, () => ({
    tokens: Array.from({ length: 1 + random(11) }, () => 200 + random(5)),
    ask: [0, 4, 8],
  }));
  const huge = random(40) === 0 ? Array.from({ length: 120 }, (_, index) => index) : [];
  return { prefix: [...prefix, ...huge], suffixes };
}

suite('warm lanes', () => {
  for (const lanes of [1, 2, 4]) {
    for (const recurrent of [false, true]) {
      test(`${lanes} ${recurrent ? 'recurrent ' : ''}lanes: what is read never depends on what was or is read beside`, async () => {
        const random = createRandom(lanes * 10 + Number(recurrent));
        const { read, turns } = openLanes(lanes, { recurrent });
        for (let round = 0; round < 60; round++) {
          const readings = Array.from({ length: 1 + random(6) }, () => readingOf(random));
          const outcomes = await Promise.allSettled(
            readings.map((reading, index) => {
              const controller = new AbortController();
              if (index > 0 && random(3) === 0)
                setTimeout(() => controller.abort(new Error('gone')), random(3));
              return read(reading, controller.signal);
            }),
          );
          for (const [index, outcome] of outcomes.entries()) {
            if (outcome.status === 'rejected') {
              assert.equal((outcome.reason as Error).message, 'gone');
              continue;
            }
            const alone = await openLanes(1).read(readings[index] as Reading);
            assert.deepEqual(outcome.value, alone);
          }
        }
        await turns.close();
      });
    }
  }

  test('a failed evaluation fails its reading alone; the lane starts anew', async () => {
    const random = createRandom(5);
    let failing = true;
    const { read } = openLanes(2, { fails: () => failing && random(12) === 0 });
    let failed = 0;
    for (let round = 0; round < 40; round++) {
      const readings = Array.from({ length: 3 }, () => readingOf(random));
      const outcomes = await Promise.allSettled(readings.map((reading) => read(reading)));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected') failed += 1;
        else assert.deepEqual(outcome.value, await openLanes(1).read(readings[index] as Reading));
      }
    }
    failing = false;
    const last = readingOf(random);
    assert.deepEqual(await read(last), await openLanes(1).read(last));
    assert.ok(failed > 5);
  });

  test('a state costs once while it is warm, and its whole chunks serve others that begin alike', async () => {
    const { read, warm } = openLanes(2);
    const prefix = Array.from({ length: 10 }, (_, index) => index);
    const suffix = { tokens: [50, 51], ask: [0] };
    await read({ prefix, suffixes: [suffix, suffix] });
    assert.equal(warm.evaluated, 14);
    await read({ prefix: [...prefix], suffixes: [suffix] });
    assert.equal(warm.evaluated, 16);
    await read({ prefix: [...prefix.slice(0, 9), 77, 78], suffixes: [suffix] });
    assert.equal(warm.evaluated, 16 + 3 + 2, 'two chunks of four were there');
  });

  test('a reading that fits no lane is an error', async () => {
    const { read, warm } = openLanes(2);
    assert.equal(warm.tokensMax, 200);
    const prefix = Array.from({ length: 300 }, () => 1);
    await assert.rejects(read({ prefix, suffixes: [{ tokens: [1], ask: [1] }] }), /fits no lane/);
    assert.equal((await read({ prefix: [1], suffixes: [{ tokens: [1], ask: [1] }] })).length, 1);
  });

  test('lanes that cannot be opened fail that reading and are tried again for the next', async () => {
    let tries = 0;
    const warm = new WarmLanes([{ lanes: 1, size: 60 }], chunk, async () => {
      tries += 1;
      if (tries === 1) throw new Error('out of memory');
      return [createScriptedLane({})];
    });
    const turns = new Turns();
    const reading = { prefix: [1, 2], suffixes: [{ tokens: [3], ask: [4] }] };
    await assert.rejects(turns.run(warm.read(reading), never), /out of memory/);
    assert.equal((await turns.run(warm.read(reading), never)).length, 1);
  });
});
