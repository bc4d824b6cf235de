import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { encoderPath, readerPath } from '../encoder.ts';
import { takeWeightsApart } from './weights-apart.ts';

test('of the graphs that ship little is left without their weights', async () => {
  for (const path of [join(encoderPath, 'model.onnx'), join(readerPath, 'reader.onnx')]) {
    const whole = await readFile(path);
    const apart = takeWeightsApart(whole);
    assert.ok(apart !== null && apart.graph.length < whole.length / 100);
  }
});

test('a weight says where in the file it is, and what is small stays', () => {
  const raw = new Uint8Array(1_024).fill(7);
  const large = field(5, [...field(8, 'large'), ...field(9, raw)]);
  const small = field(5, [...field(8, 'small'), ...field(9, raw.subarray(1))]);
  const name = field(2, 'a graph');
  // Version 8 before the graph, and behind it a number of 32 bits, of a field that is not known here.
  const whole = Uint8Array.from([8, 8, ...field(7, [...name, ...large, ...small]), 0x7d, 1, 2, 3, 4]);
  const offset = String(whole.indexOf(7, whole.indexOf(0x4a)));
  const place = { location: 'nestor:weights', offset, length: '1024' };
  const places = Object.entries(place).flatMap(([key, value]) =>
    field(13, [...field(1, key), ...field(2, value)]),
  );
  const tensor = field(5, [...field(8, 'large'), ...places, 14 * 8, 1]);
  assert.deepEqual(takeWeightsApart(whole), {
    graph: Buffer.from([8, 8, ...field(7, [...name, ...tensor, ...small]), 0x7d, 1, 2, 3, 4]),
    file: 'nestor:weights',
  });
});

test('what is no graph is left alone', () => {
  for (const bytes of [[0xff], [0x3a, 5, 1], [0x3b, 0], Array<number>(20).fill(0x80)])
    assert.equal(takeWeightsApart(Uint8Array.from(bytes)), null);
});

/** A message, a text or bytes of less than 2 MB. */
function field(number: number, content: string | Uint8Array | readonly number[]): readonly number[] {
  const bytes = typeof content === 'string' ? [...Buffer.from(content)] : [...content];
  const size = [bytes.length % 128, Math.floor(bytes.length / 128) % 128, bytes.length >> 14];
  const used = size.slice(0, size.findLastIndex((part) => part > 0) + 1);
  return [
    number * 8 + 2,
    ...used.map((part, index) => (index < used.length - 1 ? part + 128 : part)),
    ...bytes,
  ];
}
