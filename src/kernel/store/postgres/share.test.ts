import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Fault } from '../../faults.ts';
import { Share } from './share.ts';

type Leased = Awaited<ReturnType<Share['lease']>>;

/** A pool that never runs out, and whose leases can be given back. */
function pool() {
  const leased: { release(): void }[] = [];
  return {
    leased,
    lease() {
      let listener = () => {};
      leased.push({ release: () => listener() });
      return Promise.resolve({ onRelease: (given: () => void) => (listener = given) } as unknown as Leased);
    },
  };
}

test('a share holds no more connections than its part, and passes each on in order', async () => {
  const source = pool();
  const share = new Share(source, { connectionsMax: 1, waitingMax: 2, waitTimeMaxMs: 60_000 });
  const order: number[] = [];
  const leases = [1, 2, 3].map((caller) => share.lease().then(() => order.push(caller)));
  await assert.rejects(share.lease(), Fault);
  await leases[0];
  assert.equal(source.leased.length, 1);
  source.leased[0]?.release();
  await leases[1];
  assert.equal(source.leased.length, 2);
  source.leased[1]?.release();
  await leases[2];
  assert.deepEqual(order, [1, 2, 3]);
});

test('who waits too long for a share is refused and no longer in the way', async () => {
  const source = pool();
  const share = new Share(source, { connectionsMax: 1, waitingMax: 2, waitTimeMaxMs: 1 });
  await share.lease();
  await assert.rejects(share.lease(), /Too many reads/);
  source.leased[0]?.release();
  await share.lease();
  assert.equal(source.leased.length, 2);
});
