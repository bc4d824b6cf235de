import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../test/support/until.ts';
import { RowOrder } from './row-order.ts';

test('pieces come one after the other, also where a later one is through first', async () => {
  const order = new RowOrder();
  const places = [order.take(), order.take(), order.take()];
  const reached: number[] = [];
  for (const [index, place] of places.entries()) void place.reached.then(() => reached.push(index));
  places[1]?.leave();
  await settle();
  assert.deepEqual(reached, [0]);
  places[0]?.leave();
  await settle();
  assert.deepEqual(reached, [0, 1, 2]);
});

test('so many rows are under way as may be, and more of them while they are short', async () => {
  const order = new RowOrder();
  const hasRoom = async (): Promise<boolean> => {
    let isThere = false;
    void order.room({ rows: 2, shortRows: 3 }).then(() => (isThere = true));
    await settle();
    return isThere;
  };
  order.begin(1);
  order.begin(1);
  assert.equal(await hasRoom(), true);
  order.begin(40_000);
  assert.equal(await hasRoom(), false);
  order.end(1);
  // Two are left, of which one is long.
  assert.equal(await hasRoom(), false);
  order.end(40_000);
  assert.equal(await hasRoom(), true);
});
