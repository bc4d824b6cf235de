import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import type { ModelRequest } from '../../src/features/models/model.ts';
import { asks, fails, scriptedProvider, told, type Answer } from '../support/providers.ts';
import { countOf, failing, failingAway, never, openRegistry as open, target } from '../support/registry.ts';
import { until } from '../support/until.ts';

const textOf = ({ turns: [turn] }: ModelRequest) =>
  turn?.role === 'user' && turn.parts[0]?.type === 'text' ? turn.parts[0].text : '';

suite('health', () => {
  test('one that is away by our own probe rests; a bounded number of calls still try it when it is the only one', async (t) => {
    const held: (() => void)[] = [];
    let isHeld = false;
    const answer: Answer = async function* answer(request, signal) {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      yield* failingAway(request, signal);
    };
    const lab = scriptedProvider('lab', { a: { answer } });
    const { ask, clock, models } = open(t, [lab]);
    for (let times = 0; times < 3; times++) await assert.rejects(ask('lab/a'), { away: true });
    await until(() => models.rests('lab/a'));
    assert.equal(lab.calls.length, 4, 'three calls and a probe');
    assert.deepEqual(models.backendsOf('lab/a'), [{ id: 'lab/a', health: 'down' }]);
    assert.equal(models.health(), 'down');
    assert.ok(models.find('lab/a'), 'one that rests stays listed');
    clock.advance(1_000);
    isHeld = true;
    const trials = Array.from({ length: 4 }, () => ask('lab/a'));
    for (let times = 0; times < 20; times++)
      await assert.rejects(ask('lab/a'), { code: 'service_unavailable', retryAfterMs: 4_000 });
    await until(() => held.length === 4);
    assert.equal(lab.calls.length, 8);
    for (const release of held) release();
    for (const trial of trials)
      await assert.rejects(trial, { code: 'service_unavailable', retryAfterMs: 4_000 });
  });

  test('what one account does cuts off nobody: of 67 requests of others in 70 s all are answered', async (t) => {
    const bad: readonly (() => Fault)[] = [
      () => new Fault('bad_gateway'),
      () => new Fault('gateway_timeout', undefined, { away: true }),
      () => new Fault('service_unavailable', undefined, { away: true }),
    ];
    let round = 0;
    const answer: Answer = (request, signal) =>
      textOf(request) === 'bad luck' ? fails(bad[round % 3] ?? assert.fail)(request, signal) : told('fine');
    const { models, ask, clock } = open(t, [scriptedProvider('lab', { a: { answer } })]);
    for (; round < 67; round++) {
      for (let times = 0; times < 3; times++)
        await assert.rejects(models.open(['lab/a'], asks('bad luck'), never), Fault);
      clock.advance(1_045);
      assert.equal((await ask('lab/a')).text, 'fine');
      assert.equal(models.health(), 'ok');
    }
  });

  test('a success between failures keeps it in', async (t) => {
    let calls = 0;
    const flaky: Answer = (request, signal) =>
      ++calls % 3 === 0 ? told('ok') : failing('bad_gateway')(request, signal);
    const { ask } = open(t, [scriptedProvider('lab', { a: { answer: flaky } })]);
    for (let times = 0; times < 12; times++) await ask('lab/a').catch(() => {});
    assert.equal(calls, 12);
  });

  test('one that rests is passed by while another serves, and comes back with the answer to a probe', async (t) => {
    let isUp = false;
    const answer: Answer = (request, signal) => (isUp ? told('up') : failingAway(request, signal));
    const lab = scriptedProvider('lab', { a: { answer }, b: {} });
    const { ask, clock, models } = open(t, [lab], { mine: [target('lab/a'), target('lab/b')] });
    for (let times = 0; times < 3; times++) assert.equal((await ask('svc/mine')).text, 'b');
    await until(() => models.backendsOf('lab/a')[0]?.health === 'down');
    assert.equal(models.rests('svc/mine'), false, 'another one behind the name serves');
    const before = countOf(lab.calls, 'a');
    for (let times = 0; times < 5; times++) assert.equal((await ask('svc/mine')).text, 'b');
    assert.equal(countOf(lab.calls, 'a'), before);
    isUp = true;
    clock.advance(5_000);
    await until(() => models.backendsOf('lab/a')[0]?.health === 'ok');
    assert.equal((await ask('svc/mine')).text, 'up');
  });

  test('a provider whose list cannot be had waits behind every backend that works', async (t) => {
    const lab = scriptedProvider('lab', { a: {} });
    const other = scriptedProvider('other', { b: {} });
    const { ask } = open(t, [lab, other], { mine: [target('lab/a'), target('other/b')] });
    lab.setHealth('down');
    assert.equal((await ask('svc/mine')).text, 'b');
    lab.setHealth('ok');
    assert.equal((await ask('svc/mine')).text, 'a');
  });

  test('when one model of a provider rests the provider is asked whether it is there at all', async (t) => {
    const lab = scriptedProvider('lab', { a: { answer: failingAway }, b: {} });
    const { ask } = open(t, [lab]);
    for (let times = 0; times < 3; times++) await assert.rejects(ask('lab/a'));
    await until(() => lab.refreshes === 1);
  });

  test('what only a model that writes can do is no failure of the default', async (t) => {
    const refusing = fails(() => new Fault('service_unavailable', 'needs a model', { final: true }));
    const { ask } = open(t, [scriptedProvider('lab', { a: { answer: refusing } })]);
    for (let times = 0; times < 5; times++) await assert.rejects(ask('lab/a'), { message: 'needs a model' });
  });

  test('all providers down is down, one up is ok, and none at all is down where one was configured', async (t) => {
    const lab = scriptedProvider('lab', { a: {} });
    const other = scriptedProvider('other', { b: {} });
    const { models } = open(t, [lab, other]);
    assert.equal(models.health(), 'ok');
    lab.setHealth('down');
    assert.equal(models.health(), 'ok');
    other.setHealth('down');
    assert.equal(models.health(), 'down');
    assert.equal(open(t, []).models.health(), 'down');
  });

  test('closing closes every provider, and refreshing asks each', async (t) => {
    const lab = scriptedProvider('lab', { a: {} });
    const { models } = open(t, [lab]);
    await models.refresh(1_000);
    assert.equal(lab.refreshes, 1);
    await models.close();
    assert.ok(lab.closed);
  });
});
