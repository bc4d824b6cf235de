import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { DecisionEngine } from '../../src/decisions/engine.ts';
import { openSystemOneEngine, type SystemOneOptions } from '../../src/decisions/engines/systemone/index.ts';
import type { View } from '../../src/decisions/view.ts';
import { dataUrl, imagePart, png } from '../support/images.ts';
import {
  startUpstream,
  type Upstream,
  type UpstreamFault,
  type UpstreamHandler,
} from '../support/upstream.ts';
import { systemOneHandler } from '../support/upstream-systemone.ts';
import {
  assertDistributions,
  assertQuiet,
  choiceView,
  nothing,
  noulView,
  rejectsFault,
  scoreView,
  textState,
} from '../support/upstream-checks.ts';

const state = textState('I was charged twice for order 4411, please fix this today.');
const refund = noulView('Is the customer asking for money back?');
const topic = choiceView('About what?', ['billing', 'technical', 'other']);
const anger = scoreView('How angry?', ['calm', 'annoyed', 'furious']);
const views = [refund, topic, anger];

async function open(
  t: TestContext,
  upstreams: readonly (Upstream | string)[],
  options: Partial<SystemOneOptions> = {},
): Promise<DecisionEngine> {
  const engine = await openSystemOneEngine({
    upstreams: upstreams.map((upstream) => ({
      url: typeof upstream === 'string' ? upstream : upstream.url,
      key: 'sk-upstream-key',
      model: 'jev-latest',
    })),
    timeoutMs: 2_000,
    random: () => 0,
    ...options,
  });
  t.after(() => engine.close());
  return engine;
}

async function withUpstream(
  t: TestContext,
  handler: UpstreamHandler,
  options: Partial<SystemOneOptions> = {},
) {
  const upstream = await startUpstream(t, handler);
  return { upstream, engine: await open(t, [upstream], options) };
}

suite('what systemone sends', () => {
  test('one request carries the state as it was written and every view under a name without meaning', async (t) => {
    const { upstream, engine } = await withUpstream(t, systemOneHandler());
    const described: View = {
      ...refund,
      options: [
        { name: 'true', description: 'wants money' },
        { name: 'false', description: '' },
      ],
    };
    await engine.score(state, [refund, described, topic, anger], nothing());
    assert.equal(upstream.requests.length, 1);
    const [sent] = upstream.requests;
    assert.equal(sent?.path, '/v1/systemone');
    assert.equal(sent?.headers['authorization'], 'Bearer sk-upstream-key');
    assert.deepEqual(sent?.body, {
      model: 'jev-latest',
      state: state.entry,
      questions: {
        q0: { type: 'noul', instructions: refund.question, criteria: null },
        q1: { type: 'noul', instructions: refund.question, criteria: { true: 'wants money', false: null } },
        q2: {
          type: 'choice',
          instructions: topic.question,
          criteria: { billing: null, technical: null, other: null },
        },
        q3: { type: 'score', instructions: anger.question, criteria: ['calm', 'annoyed', 'furious'] },
      },
    });
  });

  test('image parts of the state are passed on where they stood', async (t) => {
    const { upstream, engine } = await withUpstream(t, systemOneHandler());
    assert.equal(engine.vision, true);
    const entry = [{ type: 'text', text: 'see' }, imagePart(dataUrl(png(8, 8)))];
    const image = { format: 'png', bytes: png(8, 8), width: 8, height: 8, tokens: 1 } as const;
    await engine.score({ entry, text: 'see', images: [image] }, [refund], nothing());
    assert.deepEqual((upstream.requests[0]?.body as { state: unknown }).state, entry);
  });

  test('options keep their order on the wire, also where their names are numbers', async (t) => {
    const { upstream, engine } = await withUpstream(t, systemOneHandler());
    await engine.score(state, [choiceView('Which?', ['z', '10', '2', '__proto__', 'a "b"\n'])], nothing());
    const text = upstream.requests[0]?.text ?? '';
    const places = ['"z":', '"10":', '"2":', '"__proto__":', '"a \\"b\\"\\n":'].map((name) =>
      text.indexOf(name),
    );
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(!places.includes(-1));
  });

  test('an address may end before, at or after the version', async (t) => {
    const upstream = await startUpstream(t, systemOneHandler());
    for (const end of ['', '/', '/v1', '/v1/', '/v1/systemone']) {
      const engine = await open(t, [upstream.url + end]);
      await engine.score(state, [refund], nothing());
    }
    assert.deepEqual(new Set(upstream.requests.map(({ path }) => path)), new Set(['/v1/systemone']));
  });

  test('without a key no credentials are sent', async (t) => {
    const upstream = await startUpstream(t, systemOneHandler());
    const engine = await open(t, [], { upstreams: [{ url: upstream.url, key: null, model: 'm' }] });
    await engine.score(state, [refund], nothing());
    assert.equal(upstream.requests[0]?.headers['authorization'], undefined);
  });
});

suite('what systemone answers', () => {
  test('every view has one distribution, in order, with every option, and sums are exact', async (t) => {
    const { engine } = await withUpstream(t, systemOneHandler(undefined, 2));
    assertDistributions(await engine.score(state, views, nothing()), views, 1e-12);
  });

  test('the same input has the same output, and other views change nothing', async (t) => {
    const { engine } = await withUpstream(t, systemOneHandler());
    const first = await engine.score(state, views, nothing());
    assert.deepEqual(await engine.score(state, views, nothing()), first);
    const alone = await Promise.all(views.map((view) => engine.score(state, [view], nothing())));
    assert.deepEqual(alone.flat(), first);
    const turned = await engine.score(state, views.toReversed(), nothing());
    assert.deepEqual(turned.toReversed(), first);
  });

  test('a view in another order of its options gets its answer back in that order', async (t) => {
    const { engine } = await withUpstream(t, systemOneHandler());
    const turn = (view: View): View => ({ ...view, options: view.options.toReversed() });
    const [straight, turned] = [
      await engine.score(state, [refund, anger], nothing()),
      await engine.score(state, [turn(refund), turn(anger)], nothing()),
    ];
    assert.deepEqual(turned[1], straight[1]?.toReversed());
    assert.ok(Math.abs((turned[0]?.[1] ?? 0) - (straight[0]?.[0] ?? 1)) < 1e-15);
  });

  test('options with one name, or a blank one, are told apart by their place', async (t) => {
    const { upstream, engine } = await withUpstream(t, systemOneHandler());
    const view = choiceView('Which?', [
      'true',
      'true',
      ' ',
      'option 3',
      '__proto__',
      'constructor',
      'true (2)',
    ]);
    assertDistributions(await engine.score(state, [view], nothing()), [view], 1e-12);
    const { q0 } = (upstream.requests[0]?.body as { questions: Record<string, { criteria: object }> })
      .questions;
    assert.equal(Object.keys(q0?.criteria ?? {}).length, 7);
  });

  test('128 questions and 255 options go through in one request', async (t) => {
    const { upstream, engine } = await withUpstream(t, systemOneHandler(undefined, 6));
    const many = Array.from({ length: 127 }, (_, index) => noulView(`Question ${index}?`));
    const wide = choiceView(
      'Which?',
      Array.from({ length: 255 }, (_, index) => `option ${index}`),
    );
    assertDistributions(await engine.score(state, [...many, wide], nothing()), [...many, wide], 1e-12);
    assert.equal(upstream.requests.length, 1);
  });

  test('tokens are estimated without asking: the state once, each view once', async (t) => {
    const { upstream, engine } = await withUpstream(t, systemOneHandler());
    const [one, all] = [
      await engine.countTokens(state, [refund], nothing()),
      await engine.countTokens(state, views, nothing()),
    ];
    assert.ok(one > 0 && all > one && all < 2 * one);
    assert.equal(upstream.requests.length, 0);
  });
});

suite('what systemone refuses to believe', () => {
  const distortions: Readonly<Record<string, (answers: Record<string, Record<string, unknown>>) => unknown>> =
    {
      'no answers': () => undefined,
      'a missing answer': ({ q1: _, ...rest }) => rest,
      'an answer too many': (answers) => ({ ...answers, q9: answers['q0'] }),
      'another type': (answers) => ({ ...answers, q0: answers['q1'] }),
      'a probability as text': (answers) => ({ ...answers, q0: { type: 'noul', noul: '0.5' } }),
      'a probability above 1': (answers) => ({ ...answers, q0: { type: 'noul', noul: 1.01 } }),
      'a negative probability': (answers) => ({ ...answers, q0: { type: 'noul', noul: -0.01 } }),
      'no probability': (answers) => ({ ...answers, q0: { type: 'noul', noul: null } }),
      'a missing option': (answers) => withOptions(answers, { billing: 0.5, technical: 0.5 }),
      'an option too many': (answers) =>
        withOptions(answers, { billing: 0.5, technical: 0.5, other: 0, upstream_secret: 0 }),
      'another option': (answers) => withOptions(answers, { billing: 0.5, technical: 0.5, others: 0 }),
      'a sum of 0.97': (answers) => withOptions(answers, { billing: 0.5, technical: 0.4, other: 0.07 }),
      'a sum of 1.03': (answers) => withOptions(answers, { billing: 0.5, technical: 0.5, other: 0.03 }),
      'all zero': (answers) => withOptions(answers, { billing: 0, technical: 0, other: 0 }),
      'options as a list': (answers) => withOptions(answers, [0.5, 0.5, 0]),
    };
  for (const [name, distort] of Object.entries(distortions)) {
    test(`${name} is a bad gateway`, async (t) => {
      const { engine, upstream } = await withUpstream(t, systemOneHandler(distort));
      const fault = await rejectsFault(engine.score(state, views, nothing()), 'bad_gateway');
      assertQuiet(fault, upstream);
    });
  }

  test('a sum within 0.02 of 1 is rounding', async (t) => {
    const off = systemOneHandler((answers) =>
      withOptions(answers, { billing: 0.5, technical: 0.41, other: 0.08 }),
    );
    const { engine } = await withUpstream(t, off);
    assertDistributions(await engine.score(state, views, nothing()), views, 1e-12);
  });

  function withOptions(answers: Record<string, Record<string, unknown>>, probabilities: unknown) {
    return { ...answers, q1: { ...answers['q1'], probabilities } };
  }
});

suite('when the upstream of systemone fails', () => {
  const faults: Readonly<Record<UpstreamFault, 'bad_gateway' | 'service_unavailable' | 'gateway_timeout'>> = {
    html: 'bad_gateway',
    truncated: 'bad_gateway',
    cut: 'bad_gateway',
    noise: 'bad_gateway',
    flood: 'bad_gateway',
    hang: 'gateway_timeout',
    drip: 'gateway_timeout',
    reset: 'service_unavailable',
  };
  for (const [fault, code] of Object.entries(faults)) {
    test(`${fault} is ${code} within the timeout, and nothing leaks`, async (t) => {
      const { engine, upstream } = await withUpstream(t, () => ({ fault: fault as UpstreamFault }), {
        timeoutMs: 700,
      });
      const startedAt = performance.now();
      assertQuiet(await rejectsFault(engine.score(state, views, nothing()), code), upstream);
      assert.ok(performance.now() - startedAt < 1_100);
    });
  }

  for (const status of [301, 400, 401, 403, 404, 422]) {
    test(`status ${status} is a bad gateway, is not repeated and tells nothing`, async (t) => {
      const { engine, upstream } = await withUpstream(t, ({ path }) => ({
        status,
        headers: { location: '/elsewhere' },
        json: { error: { message: `upstream-secret-text ${path}` } },
      }));
      assertQuiet(await rejectsFault(engine.score(state, views, nothing()), 'bad_gateway'), upstream);
      assert.equal(upstream.requests.length, 1);
    });
  }

  test('429 and 503 are repeated, and an answer then counts', async (t) => {
    for (const status of [429, 503, 500, 502]) {
      let left = 2;
      const handler = systemOneHandler();
      const { engine, upstream } = await withUpstream(t, (request) =>
        left-- > 0 ? { status, json: { error: 'busy' } } : handler(request),
      );
      assertDistributions(await engine.score(state, views, nothing()), views, 1e-12);
      assert.equal(upstream.requests.length, 3);
    }
  });

  test('429 to the end is unavailable with the wait that was asked for', async (t) => {
    const { engine, upstream } = await withUpstream(t, () => ({
      status: 429,
      headers: { 'retry-after': '7' },
      json: { error: 'upstream-secret-text' },
    }));
    const fault = await rejectsFault(engine.score(state, views, nothing()), 'service_unavailable');
    assert.equal(fault.retryAfterMs, 7_000);
    assert.equal(upstream.requests.length, 1, 'a wait above the cap is not waited for');
    assert.equal(engine.health(), 'ok', 'busy is not down');
  });

  test('a wait below the cap is waited for', async (t) => {
    const handler = systemOneHandler();
    let first = true;
    const { engine } = await withUpstream(t, (request) => {
      if (!first) return handler(request);
      first = false;
      return { status: 429, headers: { 'retry-after-ms': '300', 'retry-after': '1' }, json: {} };
    });
    const startedAt = performance.now();
    await engine.score(state, views, nothing());
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= 295 && tookMs < 900, `${tookMs}`);
  });

  test('a port where nobody listens is unavailable', async (t) => {
    const upstream = await startUpstream(t, systemOneHandler());
    await upstream.kill();
    const engine = await open(t, [upstream]);
    assertQuiet(await rejectsFault(engine.score(state, views, nothing()), 'service_unavailable'), upstream);
  });

  test('an abort ends the call at once with its own reason and closes the connection', async (t) => {
    const { engine, upstream } = await withUpstream(t, () => ({ fault: 'hang' }));
    const aborting = new AbortController();
    const running = engine.score(state, views, aborting.signal);
    setTimeout(() => aborting.abort(new Error('gone')), 50);
    const startedAt = performance.now();
    await assert.rejects(running, { message: 'gone' });
    assert.ok(performance.now() - startedAt < 150);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(upstream.busy, 0);
    assert.equal(upstream.requests.length, 1, 'an abort is not repeated');
  });
});

suite('several upstreams of systemone', () => {
  test('the first answers as long as it can', async (t) => {
    const [first, second] = [
      await startUpstream(t, systemOneHandler()),
      await startUpstream(t, systemOneHandler()),
    ];
    const engine = await open(t, [first, second]);
    for (let i = 0; i < 3; i++) await engine.score(state, views, nothing());
    assert.deepEqual([first.requests.length, second.requests.length], [3, 0]);
  });

  for (const fault of ['html', 'hang', 'reset', 'truncated'] as const) {
    test(`${fault} at the first is answered by the second`, async (t) => {
      const [first, second] = [
        await startUpstream(t, () => ({ fault })),
        await startUpstream(t, systemOneHandler()),
      ];
      const engine = await open(t, [first, second], { timeoutMs: 1_000 });
      assertDistributions(await engine.score(state, views, nothing()), views, 1e-12);
    });
  }

  test('three failures in a row take an upstream out; a probe in the background brings it back', async (t) => {
    let broken = true;
    const handler = systemOneHandler();
    const first = await startUpstream(t, (request) => (broken ? { fault: 'html' } : handler(request)));
    const second = await startUpstream(t, handler);
    const engine = await open(t, [first, second], { coolDownMs: 150 });
    for (let i = 0; i < 5; i++) await engine.score(state, views, nothing());
    assert.equal(first.requests.length, 3);
    assert.equal(engine.health(), 'ok');
    broken = false;
    await until(() => first.requests.length > 3);
    await until(async () => {
      const before = first.requests.length;
      await engine.score(state, views, nothing());
      return first.requests.length > before;
    });
  });

  test('health is down while every breaker is open, calls fail at once, and it recovers by itself', async (t) => {
    let broken = true;
    const handler = systemOneHandler();
    const { engine, upstream } = await withUpstream(
      t,
      (request) => (broken ? { fault: 'html' } : handler(request)),
      { coolDownMs: 200 },
    );
    for (let i = 0; i < 3; i++) await rejectsFault(engine.score(state, views, nothing()), 'bad_gateway');
    assert.equal(engine.health(), 'down');
    const count = upstream.requests.length;
    const fault = await rejectsFault(engine.score(state, views, nothing()), 'service_unavailable');
    assert.ok((fault.retryAfterMs ?? 0) >= 1_000);
    assert.equal(upstream.requests.length, count);
    broken = false;
    await until(() => engine.health() === 'ok');
    assertDistributions(await engine.score(state, views, nothing()), views, 1e-12);
  });

  test('a request that hangs does not hold up others', async (t) => {
    const handler = systemOneHandler();
    const { engine } = await withUpstream(t, (request) =>
      request.text.includes('stuck') ? { fault: 'hang' } : handler(request),
    );
    const stuck = rejectsFault(engine.score(textState('stuck'), views, nothing()), 'gateway_timeout');
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => engine.score(state, views, nothing())));
    assert.ok(performance.now() - startedAt < 1_000);
    await stuck;
  });

  async function until(done: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 200; i++) {
      if (await done()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.fail('did not happen');
  }
});
