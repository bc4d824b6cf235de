import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '../../../test/support/clock.ts';
import { Breakers, type CallVerdict } from './breakers.ts';

const policy = { failuresMax: 3, coolDownMs: 100, coolDownMaxMs: 350 };

function open(t: TestContext, probed: () => CallVerdict | Promise<CallVerdict> = () => 'away') {
  const clock = createManualClock();
  const probes: string[] = [];
  const rested: string[] = [];
  const breakers = new Breakers<string>({
    policy,
    clock,
    async probe(id) {
      probes.push(id);
      return probed();
    },
    onRest: (id) => void rested.push(id),
  });
  t.after(() => breakers.close());
  const call = (id: string, verdict: CallVerdict) => breakers.begin(id)?.(verdict);
  const failThrice = async (id: string) => {
    for (let times = 0; times < 3; times++) call(id, 'away');
    await turn();
  };
  return { breakers, clock, probes, rested, call, failThrice };
}

suite('breakers', () => {
  test('what callers saw cuts nobody off: a probe of our own decides', async (t) => {
    const answering = open(t, () => 'answered');
    for (let times = 0; times < 10; times++) await answering.failThrice('a');
    assert.equal(answering.breakers.isResting('a'), false);
    assert.equal(answering.probes.length, 10);
    const away = open(t);
    await away.failThrice('a');
    assert.equal(away.breakers.isResting('a'), true);
    assert.deepEqual([away.probes, away.rested], [['a'], ['a']]);
  });

  test('every call goes through while the probe is under way, and there is one of it', async (t) => {
    const probed = Promise.withResolvers<CallVerdict>();
    const { breakers, call, probes, failThrice } = open(t, () => probed.promise);
    await failThrice('a');
    for (let times = 0; times < 20; times++) assert.notEqual(breakers.begin('a'), null);
    call('a', 'away');
    breakers.probeDue();
    assert.equal(probes.length, 1);
    probed.resolve('away');
    await turn();
    assert.equal(breakers.isResting('a'), true);
  });

  test('whether any rests is known without a list of them, however often it was found away', async (t) => {
    const { breakers, call, failThrice } = open(t);
    assert.equal(breakers.hasResting, false);
    await failThrice('a');
    await failThrice('b');
    breakers.rest('b');
    assert.equal(breakers.hasResting, true);
    call('a', 'answered');
    assert.equal(breakers.hasResting, true);
    call('b', 'answered');
    call('b', 'answered');
    assert.equal(breakers.hasResting, false);
  });

  test('those that rest are passed by, unless all do: then a bounded number of calls try them', async (t) => {
    const { breakers, failThrice } = open(t);
    await failThrice('a');
    assert.deepEqual(breakers.candidates(['a', 'b']), ['b']);
    await failThrice('b');
    assert.deepEqual(breakers.candidates(['a', 'b']), ['a', 'b']);
    const trials = Array.from({ length: 10 }, () => breakers.begin('a'));
    const through = trials.filter((end) => end !== null);
    assert.equal(through.length, 4);
    through[0]?.('away');
    through[0]?.('away');
    assert.notEqual(breakers.begin('a'), null, 'one that ended makes room for one');
    assert.equal(breakers.begin('a'), null);
  });

  test('calls that try a server that rests are shared: one account leaves as many as it makes', async (t) => {
    const { breakers, failThrice } = open(t);
    await failThrice('a');
    const trialsOf = (account: string) =>
      Array.from({ length: 10 }, () => breakers.begin('a', account)).filter((end) => end !== null);
    const greedy = trialsOf('greedy');
    assert.deepEqual([greedy.length, trialsOf('modest').length, trialsOf('greedy').length], [4, 2, 0]);
    greedy[0]?.('away');
    greedy[1]?.('away');
    assert.deepEqual([trialsOf('greedy').length, trialsOf('another').length], [1, 2]);
  });

  test('an answer to a call that tries brings it back for all', async (t) => {
    const { breakers, call, failThrice } = open(t);
    await failThrice('a');
    call('a', 'unknown');
    assert.equal(breakers.isResting('a'), true, 'a call that ended without a verdict shows nothing');
    call('a', 'answered');
    assert.equal(breakers.isResting('a'), false);
    assert.equal(breakers.waitMs(['a']), 0);
  });

  test('the wait is that until the next probe, of several the shortest', async (t) => {
    const { breakers, clock, probes, failThrice } = open(t);
    await failThrice('a');
    clock.advance(30);
    await failThrice('b');
    assert.deepEqual(
      [breakers.waitMs(['a']), breakers.waitMs(['b']), breakers.waitMs(['a', 'b'])],
      [70, 100, 70],
    );
    assert.equal(breakers.waitMs(['a', 'c']), 0);
    clock.advance(69);
    breakers.probeDue();
    assert.equal(probes.length, 2, 'not before it is due');
    clock.advance(1);
    breakers.probeDue();
    await turn();
    assert.deepEqual(probes, ['a', 'b', 'a']);
    assert.equal(breakers.waitMs(['a']), 200);
  });

  test('a probe that shows nothing is repeated, and cuts nobody off', async (t) => {
    let throws = true;
    const { breakers, probes, failThrice } = open(t, () => {
      if (throws) throw new Error('a defect');
      return 'away';
    });
    await failThrice('a');
    assert.equal(breakers.isResting('a'), false);
    throws = false;
    breakers.probeDue();
    await turn();
    assert.deepEqual([breakers.isResting('a'), probes.length], [true, 2]);
  });

  test('after the end nothing is probed', async (t) => {
    const { breakers, probes, failThrice } = open(t);
    breakers.close();
    await failThrice('a');
    assert.equal(probes.length, 0);
  });
});
