import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { Fault, type FaultCode } from '../../src/faults.ts';
import type { CatalogSettings } from '../../src/models/catalog.ts';
import type { ModelEvent, Provider } from '../../src/models/model.ts';
import { openModels } from '../../src/models/open-models.ts';
import type { GivenUp } from '../../src/models/registry.ts';
import { createManualClock } from '../support/clock.ts';
import { finish, text, usage } from '../support/models.ts';
import { fails, plainRequest, readText, scriptedProvider, told, type Answer } from '../support/providers.ts';

const never = new AbortController().signal;

function open(t: TestContext, providers: readonly Provider[], own: CatalogSettings['own'] = {}) {
  const clock = createManualClock();
  const givenUp: GivenUp[] = [];
  const settings = {
    family: 'svc',
    aliases: { upstream: true, models: {} },
    own,
    prices: {},
    notes: new Map(),
    fallback: null,
  };
  const models = openModels({ settings, clock, onGivenUp: (given) => void givenUp.push(given) });
  for (const [place, provider] of providers.entries())
    models.add({ provider, asked: false, prefer: null }, place);
  t.after(() => models.close());
  const ask = async (...names: string[]) => {
    const opened = await models.open(names, plainRequest, never);
    return { name: opened.name, id: opened.entry.id, text: await readText(opened.events) };
  };
  return { models, clock, givenUp, ask };
}

const failing = (code: FaultCode): Answer => fails(() => new Fault(code));
const isFault = (code: FaultCode) => (error: unknown) => error instanceof Fault && error.code === code;

test('a name takes documents only where every model behind it does: any of them may be asked', (t) => {
  const lab = scriptedProvider('lab', { reads: {}, plain: { capabilities: { documents: false } } });
  const own = {
    both: [
      { model: 'lab/reads', weight: null },
      { model: 'lab/plain', weight: null },
    ],
    one: [{ model: 'lab/reads', weight: null }],
  };
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
    test(`after the first output, ${name}, a failure is told and nothing else is asked`, async (t) => {
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

  test('when all fail the last fault is told', async (t) => {
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
  test('after the first batch the promises of the provider itself are handed on', async (t) => {
    const batches = [[text('a')], [text('b')], finish()];
    const promises: Promise<IteratorResult<readonly ModelEvent[]>>[] = [];
    let at = 0;
    const iterator: AsyncIterator<readonly ModelEvent[]> = {
      next() {
        const value = batches[at++];
        const promise = Promise.resolve(
          value === undefined ? { done: true as const, value: undefined } : { done: false as const, value },
        );
        promises.push(promise);
        return promise;
      },
    };
    const lab = scriptedProvider('lab', {
      a: { answer: () => ({ [Symbol.asyncIterator]: () => iterator }) },
    });
    const { models } = open(t, [lab]);
    const { events } = await models.open(['lab/a'], plainRequest, never);
    const rest = events[Symbol.asyncIterator]();
    assert.deepEqual(await rest.next(), { done: false, value: batches[0] });
    const second = rest.next();
    assert.equal(second, promises[1]);
    assert.deepEqual(await rest.next(), { done: false, value: batches[2] });
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

suite('health', () => {
  test('three failures in a row take a backend out; its wait is told without a call', async (t) => {
    const lab = scriptedProvider('lab', { a: { answer: failing('bad_gateway') } });
    const { ask, clock, models } = open(t, [lab]);
    for (let times = 0; times < 3; times++) await assert.rejects(ask('lab/a'), isFault('bad_gateway'));
    clock.advance(1_000);
    await assert.rejects(ask('lab/a'), { code: 'service_unavailable', retryAfterMs: 4_000 });
    assert.equal(lab.calls.length, 3);
    assert.deepEqual(models.backendsOf('lab/a'), [{ id: 'lab/a', health: 'down' }]);
    assert.ok(models.find('lab/a'), 'one that is down stays listed');
  });

  test('a success between failures keeps it in', async (t) => {
    let calls = 0;
    const flaky: Answer = (request, signal) =>
      ++calls % 3 === 0 ? told('ok') : failing('bad_gateway')(request, signal);
    const { ask } = open(t, [scriptedProvider('lab', { a: { answer: flaky } })]);
    for (let times = 0; times < 12; times++) await ask('lab/a').catch(() => {});
    assert.equal(calls, 12);
  });

  test('after the cool-down one call at a time probes; its failure doubles the wait, its success lets all through', async (t) => {
    let isUp = false;
    const answer: Answer = (request, signal) => (isUp ? told('up') : failing('bad_gateway')(request, signal));
    const lab = scriptedProvider('lab', { a: { answer }, b: {} });
    const { ask, clock } = open(t, [lab], { mine: [target('lab/a'), target('lab/b')] });
    for (let times = 0; times < 3; times++) assert.equal((await ask('svc/mine')).text, 'b');
    assert.equal((await ask('svc/mine')).text, 'b');
    assert.equal(countOf(lab.calls, 'a'), 3);
    clock.advance(5_000);
    await Promise.all([ask('svc/mine'), ask('svc/mine'), ask('svc/mine')]);
    assert.equal(countOf(lab.calls, 'a'), 4, 'only one of three probed');
    clock.advance(9_999);
    await ask('svc/mine');
    assert.equal(countOf(lab.calls, 'a'), 4);
    clock.advance(1);
    isUp = true;
    assert.equal((await ask('svc/mine')).text, 'up');
    assert.equal((await ask('svc/mine')).text, 'up');
  });

  test('a probe of a provider that is down waits behind every backend that works', async (t) => {
    const lab = scriptedProvider('lab', { a: { answer: failing('gateway_timeout') } });
    const other = scriptedProvider('other', { b: {} });
    const { ask, clock } = open(t, [lab, other], { mine: [target('lab/a'), target('other/b')] });
    for (let times = 0; times < 3; times++) await ask('svc/mine');
    clock.advance(5_000);
    lab.setHealth('down');
    assert.equal((await ask('svc/mine')).text, 'b');
    assert.equal(lab.calls.length, 3);
    lab.setHealth('ok');
    assert.equal((await ask('svc/mine')).text, 'b');
    assert.equal(lab.calls.length, 4);
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
    const lab = scriptedProvider('lab', { a: { answer: failing('bad_gateway') }, b: {}, c: {} });
    const { ask, models } = open(t, [lab], { mine: shared });
    for (let times = 0; times < 20; times++) assert.equal((await ask('svc/mine')).text, 'b');
    assert.equal(countOf(lab.calls, 'a'), 3);
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

  test('the entry of a stream tells what the backend that runs can do', async (t) => {
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

function target(model: string, weight: number | null = null) {
  return { model, weight };
}

const countOf = (calls: readonly string[], name: string) => calls.filter((one) => one === name).length;
