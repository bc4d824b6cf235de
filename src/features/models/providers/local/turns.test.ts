import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createManualClock } from '../../../../../test/support/clock.ts';
import { Turns, type Task } from './turns.ts';

const never = new AbortController().signal;

function open() {
  const clock = createManualClock();
  const order: string[] = [];
  const turns = new Turns(clock);
  async function* steps(name: string, count: number, ms: number): Task<void> {
    for (let at = 0; at < count; at++) {
      clock.advance(ms);
      order.push(name);
      await Promise.resolve();
      if (at < count - 1) yield 'worked';
    }
  }
  const run = (name: string, count: number, ms = 1) => turns.run(steps(name, count, ms), never, name);
  const countOf = (name: string, until = order.length) =>
    order.slice(0, until).filter((other) => other === name).length;
  return { turns, order, steps, run, countOf };
}

suite('turns of accounts', () => {
  test('an account with ten tasks gets no more than one with one', async () => {
    const { order, run, countOf } = open();
    const greedy = Array.from({ length: 10 }, () => run('greedy', 20));
    await Promise.all([...greedy, run('modest', 20)]);
    const end = order.lastIndexOf('modest') + 1;
    assert.equal(countOf('greedy', end), countOf('modest', end));
    assert.equal(order.length, 220);
  });

  test('who takes long steps gets fewer of them', async () => {
    const { order, run, countOf } = open();
    await Promise.all([run('prompts', 20, 50), run('words', 200, 1)]);
    const end = order.lastIndexOf('words') + 1;
    const read = countOf('prompts', end);
    assert.ok(read >= 4 && read <= 5, `${read} steps of 50 beside 200 of 1`);
  });

  test('coming back with one task after the other gets no more than waiting with all', async () => {
    const { order, run, countOf } = open();
    const modest = run('modest', 100, 1);
    while (countOf('modest') < 100) await run('returning', 1, 10);
    await modest;
    const read = countOf('returning', order.lastIndexOf('modest') + 1);
    assert.ok(read >= 9 && read <= 11, `${read} steps of 10 beside 100 of 1`);
  });

  test('time without a task is not saved up', async () => {
    const { order, run, countOf } = open();
    const first = run('first', 300);
    while (order.length < 100) await Promise.resolve();
    const from = order.length;
    await run('second', 50);
    const beside = order.slice(from, order.lastIndexOf('second') + 1).length - 50;
    assert.ok(beside >= 48 && beside <= 51, `${beside} steps of the first beside 50 of the second`);
    await first;
    assert.equal(countOf('first'), 300);
  });

  test('one that is blocked costs its account no turn, and goes on when another has moved', async () => {
    const { turns, order, run, steps } = open();
    async function* blocked(): Task<void> {
      while (order.length < 40) yield 'blocked';
      yield* steps('blocked', 1, 1);
    }
    const waiting = Array.from({ length: 5 }, () => turns.run(blocked(), never, 'greedy'));
    await Promise.all([...waiting, run('greedy', 20), run('modest', 20)]);
    for (let at = 2; at < 40; at++) assert.notEqual(order[at], order[at - 1], `turn ${at}`);
    assert.deepEqual(order.slice(40), ['blocked', 'blocked', 'blocked', 'blocked', 'blocked']);
  });

  test('a step that fails is paid for, and lets others go on', async () => {
    const { turns, order, run, steps, countOf } = open();
    async function* failing(): Task<void> {
      yield* steps('failing', 2, 10);
      throw new Error('the evaluation failed');
    }
    const modest = run('modest', 100, 1);
    while (countOf('modest') < 100)
      await assert.rejects(turns.run(failing(), never, 'failing'), { message: 'the evaluation failed' });
    await modest;
    const read = countOf('failing', order.lastIndexOf('modest') + 1);
    assert.ok(read >= 9 && read <= 12, `${read} steps of 10 beside 100 of 1`);
  });

  test('an abort ends one that is blocked, and the end all of them', async () => {
    const { turns } = open();
    async function* blocked(): Task<void> {
      for (;;) yield 'blocked';
    }
    const aborting = new AbortController();
    const aborted = turns.run(blocked(), aborting.signal, 'a');
    const closed = [turns.run(blocked(), never, 'a'), turns.run(blocked(), never, 'b')];
    const over = Promise.all(closed.map((task) => assert.rejects(task, { code: 'service_unavailable' })));
    aborting.abort(new Error('gone'));
    await assert.rejects(aborted, { message: 'gone' });
    await turns.close();
    await over;
  });
});
