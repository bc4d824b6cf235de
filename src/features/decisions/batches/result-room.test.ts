import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../../test/support/clock.ts';
import { Fault } from '../../../kernel/faults.ts';
import { ResultRoom } from './result-room.ts';

test('room is asked for once a second while there is far more than results take, and each time when there is not', async () => {
  const clock = createManualClock(5);
  const left = { wide: 1e9, narrow: 1_000, none: 0 };
  const asked: string[] = [];
  const admit = async (account: string): Promise<number> => {
    asked.push(account);
    if (account === 'none') throw new Fault('storage_quota_exceeded');
    return left[account as keyof typeof left];
  };
  const room = new ResultRoom(admit, clock);
  for (const account of ['wide', 'wide', 'narrow', 'narrow']) await room.admit(account, 10);
  assert.deepEqual(asked.splice(0), ['wide', 'narrow', 'narrow']);
  for (let times = 0; times < 2; times++)
    await assert.rejects(room.admit('none', 10), { code: 'storage_quota_exceeded' });
  clock.advance(1_000);
  await room.admit('wide', 10);
  assert.deepEqual(asked, ['none', 'none', 'wide']);
});
