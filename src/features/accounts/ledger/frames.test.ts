import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { frameBytes, readFrames, trimRoom, writeFrame } from './frames.ts';

function framesOf(texts: readonly string[], room = 0): Buffer {
  const bytes = Buffer.alloc(texts.reduce((sum, text) => sum + frameBytes(text), room));
  let at = 0;
  for (const text of texts) at += writeFrame(bytes.subarray(at), text);
  return bytes;
}

const texts = ['{"id":"a"}', '{"id":"ü","n":1}', '{"id":"c","long":"xxxxxxxxxxxxxxxxxxxxxxxxxxx"}'];

suite('frames', () => {
  test('come back as they were written, with room behind them', () => {
    const bytes = framesOf(texts, 1_000);
    const { texts: read, bad } = readFrames(bytes);
    assert.deepEqual([read, bad], [texts, []]);
    assert.equal(trimRoom(bytes).length, bytes.length - 1_000);
    assert.equal(trimRoom(Buffer.alloc(10_000)).length, 0);
  });

  test('one that was being written at the end is left, and is no damage', () => {
    const bytes = framesOf(texts);
    for (const cut of [1, 5, 17, 18, 30]) {
      const { texts: read, bad, end } = readFrames(bytes.subarray(0, bytes.length - cut));
      assert.deepEqual([read, bad], [texts.slice(0, 2), []]);
      assert.equal(end, bytes.length - frameBytes(texts[2] ?? ''));
    }
  });

  test('any byte that changed is found, and every other row is read', () => {
    const room = 64;
    const bytes = framesOf(texts, room);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: bytes.length - room - 2 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const damaged = Buffer.from(bytes);
          damaged[at] = (damaged[at] ?? 0) ^ change;
          const { texts: read, bad } = readFrames(damaged);
          const hit = texts.findIndex(
            (_, index) => at < texts.slice(0, index + 1).reduce((sum, text) => sum + frameBytes(text), 0),
          );
          // Without the line feed between them two rows are one that is damaged.
          const isEnd = bytes[at] === 0x0a;
          const spared = texts.filter((_, index) => index !== hit && !(isEnd && index === hit + 1));
          assert.deepEqual(read, spared);
          assert.ok(bad.length > 0 || hit === texts.length - 1);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('half a row and a whole one behind it: the whole one is found', () => {
    const half = framesOf(['{"id":"half","n":"..."}']).subarray(0, 30);
    const damaged = Buffer.concat([
      framesOf(['{"id":"a"}']),
      half,
      Buffer.from('\n'),
      framesOf(['{"id":"b"}']),
    ]);
    const { texts: read, bad } = readFrames(damaged);
    assert.deepEqual(read, ['{"id":"a"}', '{"id":"b"}']);
    assert.equal(bad.length, 1);
  });

  test('never throws, and takes each byte once, whatever lies there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        const { texts: read, end } = readFrames(Buffer.from(noise));
        assert.ok(read.length === 0 && end <= noise.length);
      }),
    );
  });
});
