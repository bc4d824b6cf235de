import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Health } from './health.ts';
import { turnTimers } from '../../../../test/support/timers.ts';
import { settle } from '../../../../test/support/until.ts';

/** A server that answers by hand. */
function setUp() {
  const probes: PromiseWithResolvers<void>[] = [];
  const seen = { downs: 0 };
  const health = new Health({
    probe() {
      const probe = Promise.withResolvers<void>();
      probes.push(probe);
      return probe.promise;
    },
    onDown: () => seen.downs++,
  });
  return { health, probes, seen };
}

test('a lost connection is a suspicion until the probe says more', async () => {
  const { health, probes, seen } = setUp();
  health.suspect();
  health.suspect();
  assert.equal(health.state, 'suspect');
  assert.equal(probes.length, 1);
  probes[0]?.resolve();
  await settle();
  assert.equal(health.state, 'ok');
  assert.equal(seen.downs, 0);
});

test('down is told once, and the probe goes on until the server answers', async (t) => {
  const { tick } = turnTimers(t);
  const { health, probes, seen } = setUp();
  health.suspect();
  probes[0]?.reject(new Error('refused'));
  await settle();
  assert.equal(health.state, 'down');
  health.suspect();
  tick(100);
  assert.equal(probes.length, 2);
  probes[1]?.reject(new Error('refused'));
  await settle();
  assert.equal(health.state, 'down');
  tick(199);
  assert.equal(probes.length, 2, 'twice as long');
  tick(1);
  probes[2]?.resolve();
  await settle();
  assert.equal(health.state, 'ok');
  assert.equal(seen.downs, 1);
});

test('after closing nothing is asked, and a late answer changes nothing', async (t) => {
  const { tick } = turnTimers(t);
  const { health, probes, seen } = setUp();
  health.suspect();
  health.close();
  probes[0]?.reject(new Error('refused'));
  await settle();
  tick(60_000);
  assert.equal(probes.length, 1);
  assert.equal(health.state, 'closed');
  assert.equal(seen.downs, 0);
});
