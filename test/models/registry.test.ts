import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import type { ModelEvent } from '../../src/features/models/model.ts';
import { finish, text, usage } from '../support/models.ts';
import { fails, plainRequest, readText, scriptedProvider, type Answer } from '../support/providers.ts';
import {
  countOf,
  failing,
  failingAway,
  isFault,
  never,
  openRegistry as open,
  target,
} from '../support/registry.ts';
import { until } from '../support/until.ts';

test('a name takes documents only where every model behind it does: any of them may be asked', (t) => {
  const lab = scriptedProvider('lab', { reads: {}, plain: { capabilities: { documents: false } } });
  const own = { both: ['lab/reads', 'lab/plain'], one: ['lab/reads'] };
  const { models } = open(t, [lab], own);
  assert.equal(models.find('svc/both')?.capabilities.documents, false);
  assert.equal(models.find('svc/one')?.capabilities.documents, true);
});

suite('fallback', () => {
  for (const code of ['service_unavailable', 'gateway_timeout', 'bad_gateway'] as const) {
    test(`${code} before the first output moves on to the next name`, async (t) => {
      const lab = scriptedProvider('lab', { a: { answer: failing(code) }, b: {} });
      const { ask, givenUp } = open(t, [lab]);
      assert.deepEqual(await ask('lab/a', 'lab/b'), { name: 'lab/b', id: 'lab/b', text: 'b' });
      assert.deepEqual(
        givenUp.map(({ id, fault }) => [id, fault.code]),
        [['lab/a', code]],
      );
    });
  }

  for (const code of ['invalid_value', 'context_length_exceeded', 'internal'] as const) {
    test(`${code} is the answer to the request: nothing else is asked`, async (t) => {
      const lab = scriptedProvider('lab', { a: { answer: failing(code) }, b: {} });
      const { models, ask, givenUp } = open(t, [lab]);
      for (let times = 0; times < 5; times++) await assert.rejects(ask('lab/a', 'lab/b'), isFault(code));
      assert.deepEqual(lab.calls, ['a', 'a', 'a', 'a', 'a']);
      assert.equal(givenUp.length, 0);
      assert.equal(models.backendsOf('lab/a')[0]?.health, 'ok');
    });
  }

  test('usage alone is no output: a failure after it still moves on', async (t) => {
    const told: ModelEvent = { type: 'usage', usage };
    const lab = scriptedProvider('lab', {
      a: { answer: fails(() => new Fault('bad_gateway'), [told], [told]) },
      b: {},
    });
    assert.equal((await open(t, [lab]).ask('lab/a', 'lab/b')).text, 'b');
  });

  const outputs: Readonly<Record<string, ModelEvent>> = {
    text: text('x'),
    reasoning: { type: 'reasoning-delta', text: 'x' },
    'a tool call': { type: 'tool-call-start', id: '1', name: 'f' },
  };
  for (const [name, event] of Object.entries(outputs)) {
    test(`after the first output, ${name}, a failure is reported and nothing else is asked`, async (t) => {
      const lab = scriptedProvider('lab', {
        a: { answer: fails(() => new Fault('bad_gateway'), [event]) },
        b: {},
      });
      const { models } = open(t, [lab]);
      const opened = await models.open(['lab/a', 'lab/b'], plainRequest, never);
      await assert.rejects(readText(opened.events), isFault('bad_gateway'));
      assert.deepEqual(lab.calls, ['a']);
    });
  }

  test('when all fail the last fault is thrown', async (t) => {
    const lab = scriptedProvider('lab', {
      a: { answer: failing('bad_gateway') },
      b: { answer: fails(() => new Fault('service_unavailable', undefined, { retryAfterMs: 7_000 })) },
    });
    const { ask, givenUp } = open(t, [lab]);
    await assert.rejects(ask('lab/a', 'lab/b'), { code: 'service_unavailable', retryAfterMs: 7_000 });
    assert.equal(givenUp.length, 2);
  });

  test('a stream that ends without an event is unusable, not empty', async (t) => {
    const lab = scriptedProvider('lab', {
      a: {
        async *answer() {
          // Nothing at all.
        },
      },
      b: {},
    });
    assert.equal((await open(t, [lab]).ask('lab/a', 'lab/b')).text, 'b');
  });

  test('an answer without any output but its finish is an answer', async (t) => {
    const lab = scriptedProvider('lab', {
      a: {
        async *answer() {
          yield finish('content-filter');
        },
      },
      b: {},
    });
    assert.deepEqual(await open(t, [lab]).ask('lab/a', 'lab/b'), { name: 'lab/a', id: 'lab/a', text: '' });
  });

  test('an abort rejects with its reason, is no failure of the backend and asks nobody else', async (t) => {
    const reason = new Error('the caller left');
    const hanging: Answer = async function* hang(_request, signal) {
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
      yield [];
    };
    const lab = scriptedProvider('lab', { a: { answer: hanging }, b: {} });
    const { models, givenUp } = open(t, [lab]);
    for (let times = 0; times < 4; times++) {
      const stopping = new AbortController();
      const asked = models.open(['lab/a', 'lab/b'], plainRequest, stopping.signal);
      setImmediate(() => stopping.abort(reason));
      await assert.rejects(asked, (error) => error === reason);
    }
    assert.deepEqual(lab.calls, ['a', 'a', 'a', 'a']);
    assert.equal(givenUp.length, 0);
    assert.equal(models.backendsOf('lab/a')[0]?.health, 'ok');
  });

  test('a name that nothing stands behind is refused before anything is asked', async (t) => {
    const lab = scriptedProvider('lab', { a: {} });
    await assert.rejects(open(t, [lab]).ask('lab/a', 'lab/nothing'), isFault('invalid_model'));
    assert.deepEqual(lab.calls, []);
  });
});

suite('streams', () => {
  test('batches of the provider are handed on as they are', async (t) => {
    const batches = [[text('a')], [text('b')], finish()];
    let at = 0;
    const iterator: AsyncIterator<readonly ModelEvent[]> = {
      next() {
        const value = batches[at++];
        return Promise.resolve(
          value === undefined ? { done: true as const, value: undefined } : { done: false as const, value },
        );
      },
    };
    const lab = scriptedProvider('lab', {
      a: { answer: () => ({ [Symbol.asyncIterator]: () => iterator }) },
    });
    const { models } = open(t, [lab]);
    const { events } = await models.open(['lab/a'], plainRequest, never);
    const rest = events[Symbol.asyncIterator]();
    for (const batch of batches) assert.equal((await rest.next()).value, batch);
    assert.deepEqual(await rest.next(), { done: true, value: undefined });
  });

  test('who stops reading ends the stream of the provider', async (t) => {
    let isEnded = false;
    const lab = scriptedProvider('lab', {
      a: {
        async *answer() {
          try {
            for (;;) yield [text('more')];
          } finally {
            isEnded = true;
          }
        },
      },
    });
    const { events } = await open(t, [lab]).models.open(['lab/a'], plainRequest, never);
    for await (const batch of events) {
      assert.equal(batch.length, 1);
      break;
    }
    assert.ok(isEnded);
  });
});

suite('weights', () => {
  const shared = [target('lab/a', 3), target('lab/b', 1), target('lab/c')];

  test('neighbours with weights share calls evenly, in the given proportion and never in bursts', async (t) => {
    const lab = scriptedProvider('lab', { a: {}, b: {}, c: {} });
    const { ask } = open(t, [lab], { mine: shared });
    for (let times = 0; times < 400; times++) await ask('svc/mine');
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => countOf(lab.calls, name)),
      [300, 100, 0],
    );
    assert.ok(!lab.calls.join('').includes('aaaa'));
    assert.ok(!lab.calls.join('').includes('bb'));
  });

  test('a failing member leaves its calls to its neighbours, then to the next place', async (t) => {
    const lab = scriptedProvider('lab', { a: { answer: failingAway }, b: {}, c: {} });
    const { ask, models } = open(t, [lab], { mine: shared });
    for (let times = 0; times < 20; times++) assert.equal((await ask('svc/mine')).text, 'b');
    await until(() => models.backendsOf('lab/a')[0]?.health === 'down');
    assert.deepEqual(
      models.backendsOf('svc/mine').map(({ health }) => health),
      ['down', 'ok', 'ok'],
    );
    const both = scriptedProvider('lab', {
      a: { answer: failing('bad_gateway') },
      b: { answer: failing('bad_gateway') },
      c: {},
    });
    assert.equal((await open(t, [both], { mine: shared }).ask('svc/mine')).text, 'c');
  });

  test('counting tokens takes no turn, and passes a backend by that cannot count', async (t) => {
    const lab = scriptedProvider('lab', {
      a: { count: () => Promise.reject(new Fault('service_unavailable')) },
      b: { count: () => Promise.resolve(42) },
    });
    const { models, ask } = open(t, [lab], { mine: [target('lab/a', 1), target('lab/b', 1)] });
    for (let times = 0; times < 4; times++) {
      assert.equal(await models.countTokens('svc/mine', plainRequest, never), 42);
      await ask('svc/mine');
    }
    assert.deepEqual(lab.calls, ['a', 'b', 'a', 'b']);
  });

  test('the entry of a stream has the capabilities of the backend that runs', async (t) => {
    const lab = scriptedProvider('lab', {
      a: { answer: failing('bad_gateway'), capabilities: { jsonSchema: true } },
      b: { capabilities: { jsonSchema: false } },
    });
    const { models } = open(t, [lab], { mine: [target('lab/a'), target('lab/b')] });
    assert.equal(models.find('svc/mine')?.capabilities.jsonSchema, true);
    const { entry } = await models.open(['svc/mine'], plainRequest, never);
    assert.deepEqual([entry.id, entry.capabilities.jsonSchema], ['svc/mine', false]);
  });
});
