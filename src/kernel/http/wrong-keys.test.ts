import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { WrongKeys } from './wrong-keys.ts';

suite('wrong keys', () => {
  test('of one address are answered later and later from the 21st in a minute on, up to a second', () => {
    const keys = new WrongKeys();
    const delays = Array.from({ length: 60 }, (_, at) => keys.delayOf('203.0.113.7', at));
    assert.deepEqual(
      delays.slice(0, 20),
      Array.from({ length: 20 }, () => 0),
    );
    assert.deepEqual([delays[20], delays[21], delays[59]], [50, 100, 1_000]);
    assert.equal(keys.delayOf('203.0.113.8', 60), 0, 'another address');
    assert.equal(keys.delayOf('203.0.113.7', 60_000), 0, 'a minute later');
  });

  test('of this machine are answered at once, in whatever way its address is written', () => {
    const keys = new WrongKeys();
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      for (let at = 0; at < 50; at++) assert.equal(keys.delayOf(address, at), 0, address);
    }
  });

  test('of many addresses are remembered for so many only', () => {
    const keys = new WrongKeys();
    for (let at = 0; at < 30; at++) keys.delayOf('2001:db8::1', at);
    for (let at = 0; at < 10_000; at++) keys.delayOf(`10.0.${at >> 8}.${at & 255}`, 40);
    assert.equal(keys.delayOf('2001:db8::1', 50), 0);
  });
});
