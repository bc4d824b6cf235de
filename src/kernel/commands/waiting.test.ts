import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../test/support/clock.ts';
import { createWaiting } from './waiting.ts';

function wait(isTTY: boolean): readonly string[] {
  const written: string[] = [];
  const clock = createManualClock();
  const waiting = createWaiting({ isTTY, write: (text) => written.push(text) }, clock);
  waiting.update('Queued');
  clock.advance(2_400);
  waiting.update('Learning');
  clock.advance(1_600);
  waiting.update('Learning');
  waiting.finish();
  return written;
}

test('a terminal has one line with the seconds so far, which goes at the end', () => {
  const clear = '\r\u001b[2K';
  assert.deepEqual(wait(true), [
    `${clear}Queued, 0 s`,
    `${clear}Learning, 2 s`,
    `${clear}Learning, 4 s`,
    clear,
  ]);
});

test('a file gets a line whenever something else is waited for', () => {
  assert.deepEqual(wait(false), ['Queued\n', 'Learning\n']);
});
