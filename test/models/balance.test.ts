import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { OpenedStream } from '../../src/features/models/registry.ts';
import { text } from '../support/models.ts';
import { asks, readText, scriptedProvider, type Answer } from '../support/providers.ts';
import { failing, isFault, never, openRegistry, target } from '../support/registry.ts';

const questions = Array.from({ length: 60 }, (_, index) => asks(`question ${index}`));
const sayWho = (who: string): Answer =>
  async function* answer() {
    yield [text(who)];
  };
const replicas = (...names: string[]) =>
  names.map((name) => scriptedProvider(name, { m: { answer: sayWho(name) } }));
const places = { all: ['gpu-1/m', 'gpu-2/m', 'gpu-3/m'].map((id) => target(id, 1)) };
const readAll = async (opened: OpenedStream) => readText(opened.events);

suite('replicas of one model', () => {
  test('a conversation stays where it began, and conversations are spread', async (t) => {
    const { models } = openRegistry(t, replicas('gpu-1', 'gpu-2', 'gpu-3'), places);
    const first: string[] = [];
    for (const question of questions)
      first.push(await readAll(await models.open(['svc/all'], question, never)));
    for (const name of ['gpu-1', 'gpu-2', 'gpu-3'])
      assert.ok(first.filter((one) => one === name).length > 6, `${name} of ${first.join(' ')}`);
    for (const [index, question] of questions.entries()) {
      const grown = {
        ...question,
        turns: [
          ...question.turns,
          { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] } as const,
          { role: 'user', parts: [{ type: 'text', text: `and ${index}?` }] } as const,
        ],
      };
      assert.equal(await readAll(await models.open(['svc/all'], grown, never)), first[index]);
    }
  });

  test('while streams are read, the same prompt goes elsewhere, and comes back when they end or are left', async (t) => {
    const { models } = openRegistry(t, replicas('gpu-1', 'gpu-2', 'gpu-3'), places);
    const [question = asks('')] = questions;
    const leaving = new AbortController();
    const opened = await Promise.all(
      Array.from({ length: 30 }, () => models.open(['svc/all'], question, leaving.signal)),
    );
    const busy = await models.open(['svc/all'], question, never);
    const [half, rest] = [opened.slice(0, 15), opened.slice(15)];
    const names = await Promise.all(half.map(readAll));
    for (const name of ['gpu-1', 'gpu-2', 'gpu-3'])
      assert.ok(names.filter((one) => one === name).length >= 2, names.join(' '));
    // Some leave before they read, some while they do.
    for (const { events } of rest.slice(0, 5)) await events[Symbol.asyncIterator]().return?.();
    leaving.abort();
    await readAll(busy);
    const after = new Set<string>();
    for (let times = 0; times < 10; times++)
      after.add(await readAll(await models.open(['svc/all'], question, never)));
    assert.equal(after.size, 1);
  });

  test('a replica that fails is passed over in the order of the prompt', async (t) => {
    const [one, two] = replicas('gpu-1', 'gpu-2');
    assert.ok(one && two);
    const broken = scriptedProvider('gpu-3', { m: { answer: failing('bad_gateway') } });
    const { models } = openRegistry(t, [one, two, broken], places);
    for (const question of questions) await readAll(await models.open(['svc/all'], question, never));
    assert.ok(broken.calls.length > 6);
    assert.equal(one.calls.length + two.calls.length, questions.length);
  });
});

suite('weighted neighbours', () => {
  const mixed = { all: [target('lab/a', 3), target('lab/b', 1)] };

  test('of different models take turns, unless the operator says otherwise', async (t) => {
    const countsOf = async (balance: 'auto' | 'weight' | 'prefix') => {
      const lab = scriptedProvider('lab', { a: {}, b: {} });
      const { ask } = openRegistry(t, [lab], mixed, balance);
      for (let times = 0; times < 8; times++) await ask('svc/all');
      return ['a', 'b'].map((name) => lab.calls.filter((one) => one === name).length);
    };
    assert.deepEqual(await countsOf('auto'), [6, 2]);
    assert.deepEqual(await countsOf('weight'), [6, 2]);
    assert.ok((await countsOf('prefix')).includes(8));
  });

  test('are asked by how long they let callers wait', async (t) => {
    const clock = { advance: (_ms: number) => {} };
    const slow = (name: string, ms: number): Answer =>
      async function* answer() {
        clock.advance(ms);
        yield [text(name)];
      };
    const lab = scriptedProvider('lab', { a: { answer: slow('a', 900) }, b: { answer: slow('b', 100) } });
    const opened = openRegistry(t, [lab], { all: [target('lab/a', 1), target('lab/b', 1)] }, 'latency');
    clock.advance = (ms) => opened.clock.advance(ms);
    for (let times = 0; times < 10; times++) await opened.ask('svc/all');
    assert.deepEqual(lab.calls.slice(0, 2).sort(), ['a', 'b']);
    assert.deepEqual(new Set(lab.calls.slice(2)), new Set(['b']));
    // What was measured fades, so the slow one is asked again.
    opened.clock.advance(120_000);
    for (let times = 0; times < 2; times++) await opened.ask('svc/all');
    assert.ok(lab.calls.slice(10).includes('a'));
  });

  test('who refuses quickly is not taken for fast', async (t) => {
    const lab = scriptedProvider('lab', { a: { answer: failing('bad_gateway') }, b: {} });
    const places = { all: [target('lab/a', 1), target('lab/b', 1)], only: ['lab/a'] };
    const { ask } = openRegistry(t, [lab], places, 'latency');
    for (let times = 0; times < 5; times++) await ask('svc/all');
    assert.ok(lab.calls.filter((one) => one === 'a').length <= 1, lab.calls.join(' '));
    await assert.rejects(ask('svc/only'), isFault('bad_gateway'));
  });
});
