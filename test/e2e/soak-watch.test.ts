import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { descriptorsOf, type Descriptors } from '../../bench/support/soak-watch.ts';
import { poll } from '../support/until.ts';

const fixture = fileURLToPath(new URL('./soak-watch.fixture.ts', import.meta.url));

const name = 'the soak counts what a late thread holds apart, and a file that stays open as growth';
const skip = process.platform === 'linux' ? false : 'there is no /proc';

test(name, { skip }, async (t) => {
  const child = fork(fixture);
  t.after(() => child.kill());
  await once(child, 'message');
  const look = () => descriptorsOf(child.pid ?? 0);
  const after = async (step: 'thread' | 'file', expected: Descriptors) => {
    child.send(step);
    await once(child, 'message');
    // What a process opens for a moment, it closes; what it keeps, stays, and the wait ends in a failure.
    const isExpected = (seen: Descriptors) => isDeepStrictEqual(seen, expected);
    return poll(look, isExpected, `${step}: what is open is not ${JSON.stringify(expected)}`);
  };
  const atFirst = await steady(look);
  const { threadHandles, threads } = atFirst;
  const withThread = { ...atFirst, threadHandles: threadHandles + 5, threads: threads + 1 };
  await after('thread', withThread);
  await after('file', { ...withThread, handles: withThread.handles + 1 });
});

/** What two looks one after the other agree on. */
async function steady(look: () => Promise<Descriptors>): Promise<Descriptors> {
  let last: Descriptors | undefined;
  const isSteady = (seen: Descriptors) => isDeepStrictEqual(seen, last) || ((last = seen), false);
  return poll(look, isSteady, 'what is open does not stay as it is');
}
