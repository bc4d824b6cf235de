import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startUpstream, type Upstream, type UpstreamFault, type UpstreamReply } from '../support/upstream.ts';
import { openSystemOne, systemOneHandler, systemOneWith } from '../support/upstream-systemone.ts';
import {
  assertDistributions,
  assertQuiet,
  choiceQuestion,
  nothing,
  noulQuestion,
  rejectsFault,
  scoreQuestion,
  textState,
  upstreamFaults,
} from '../support/upstream-checks.ts';
import { hangMs, until } from '../support/until.ts';

const state = textState('I was charged twice for order 4411, please fix this today.');
const refund = noulQuestion('Is the customer asking for money back?');
const topic = choiceQuestion('About what?', ['billing', 'technical', 'other']);
const anger = scoreQuestion('How angry?', ['calm', 'annoyed', 'furious']);
const questions = [refund, topic, anger];

suite('when the upstream of systemone fails', () => {
  for (const [fault, code] of Object.entries(upstreamFaults)) {
    test(`${fault} is ${code} within the timeout, and nothing leaks`, async (t) => {
      const { engine, upstream } = await systemOneWith(t, () => ({ fault: fault as UpstreamFault }), {
        timeoutMs: code === 'gateway_timeout' ? 2_000 : hangMs,
      });
      assertQuiet(await rejectsFault(engine.score(state, questions, nothing()), code), upstream);
    });
  }

  for (const status of [301, 400, 401, 403, 404, 422]) {
    test(`status ${status} is a bad gateway, is not repeated and tells nothing`, async (t) => {
      const { engine, upstream } = await systemOneWith(t, ({ path }) => ({
        status,
        headers: { location: '/elsewhere' },
        json: { error: { message: `upstream-secret-text ${path}` } },
      }));
      assertQuiet(await rejectsFault(engine.score(state, questions, nothing()), 'bad_gateway'), upstream);
      assert.equal(upstream.requests.length, 1);
    });
  }

  test('429 and 503 are repeated, and an answer then counts', async (t) => {
    for (const status of [429, 503, 500, 502]) {
      let left = 2;
      const handler = systemOneHandler();
      const { engine, upstream } = await systemOneWith(t, (request) =>
        left-- > 0 ? { status, json: { error: 'busy' } } : handler(request),
      );
      assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
      assert.equal(upstream.requests.length, 3);
    }
  });

  test('429 to the end is unavailable with the wait that was asked for', async (t) => {
    const { engine, upstream } = await systemOneWith(t, () => ({
      status: 429,
      headers: { 'retry-after': '7' },
      json: { error: 'upstream-secret-text' },
    }));
    const fault = await rejectsFault(engine.score(state, questions, nothing()), 'service_unavailable');
    assert.equal(fault.retryAfterMs, 7_000);
    assert.equal(upstream.requests.length, 1, 'a wait above the cap is not waited for');
    assert.equal(engine.health(), 'ok', 'busy is not down');
  });

  test('a wait below the cap is waited for', async (t) => {
    const handler = systemOneHandler();
    let first = true;
    const { engine } = await systemOneWith(t, (request) => {
      if (!first) return handler(request);
      first = false;
      return { status: 429, headers: { 'retry-after-ms': '300', 'retry-after': '1' }, json: {} };
    });
    const startedAt = performance.now();
    await engine.score(state, questions, nothing());
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= 295, `${tookMs}`);
  });

  test('a port where nobody listens is unavailable', async (t) => {
    const upstream = await startUpstream(t, systemOneHandler());
    await upstream.kill();
    const engine = await openSystemOne(t, [upstream]);
    assertQuiet(
      await rejectsFault(engine.score(state, questions, nothing()), 'service_unavailable'),
      upstream,
    );
  });

  test('an abort ends the call at once with its own reason and closes the connection', async (t) => {
    const { engine, upstream } = await systemOneWith(t, () => ({ fault: 'hang' }));
    const aborting = new AbortController();
    const running = engine.score(state, questions, aborting.signal);
    await until(() => upstream.busy > 0);
    aborting.abort(new Error('gone'));
    await assert.rejects(running, { message: 'gone' });
    await until(() => upstream.busy === 0);
    assert.equal(upstream.requests.length, 1, 'an abort is not repeated');
  });
});

const away: UpstreamReply = { json: { error: 'away' }, status: 503 };
/** Requests with the question of these tests, and not our own. */
const questionsOf = ({ requests }: Upstream) =>
  requests.filter(({ text }) => !text.includes('Is this a test?')).length;

suite('several upstreams of systemone', () => {
  test('the first answers as long as it can', async (t) => {
    const [first, second] = [
      await startUpstream(t, systemOneHandler()),
      await startUpstream(t, systemOneHandler()),
    ];
    const engine = await openSystemOne(t, [first, second]);
    for (let i = 0; i < 3; i++) await engine.score(state, questions, nothing());
    assert.deepEqual([first.requests.length, second.requests.length], [3, 0]);
  });

  for (const fault of ['html', 'hang', 'reset', 'truncated'] as const) {
    test(`${fault} at the first is answered by the second`, async (t) => {
      const [first, second] = [
        await startUpstream(t, () => ({ fault })),
        await startUpstream(t, systemOneHandler()),
      ];
      const engine = await openSystemOne(t, [first, second], {
        timeoutMs: fault === 'hang' ? 4_000 : hangMs,
      });
      assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
    });
  }

  test('one that is away by our own probe is passed by; a probe in the background brings it back', async (t) => {
    let isAway = true;
    const handler = systemOneHandler();
    const first = await startUpstream(t, (request) => (isAway ? away : handler(request)));
    const second = await startUpstream(t, handler);
    const engine = await openSystemOne(t, [first, second], { coolDownMs: 150 });
    const isAsked = async () => {
      const before = questionsOf(first);
      await engine.score(state, questions, nothing());
      return questionsOf(first) > before;
    };
    for (let i = 0; i < 3; i++) assert.ok(await isAsked());
    await until(async () => !(await isAsked()));
    assert.equal(engine.health(), 'ok');
    isAway = false;
    await until(isAsked);
  });

  test('health is down only while every upstream is away, and recovers by itself', async (t) => {
    let isAway = true;
    const handler = systemOneHandler();
    const { engine } = await systemOneWith(t, (request) => (isAway ? away : handler(request)), {
      coolDownMs: 200,
    });
    for (let i = 0; i < 3; i++)
      await rejectsFault(engine.score(state, questions, nothing()), 'service_unavailable');
    await until(() => engine.health() === 'down');
    const fault = await rejectsFault(engine.score(state, questions, nothing()), 'service_unavailable');
    assert.ok((fault.retryAfterMs ?? 0) >= 1_000);
    isAway = false;
    await until(() => engine.health() === 'ok');
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });

  test('bad answers to the requests of one caller take nothing from others', async (t) => {
    const handler = systemOneHandler();
    const bad: readonly UpstreamReply[] = [
      { fault: 'html' },
      { fault: 'truncated' },
      { fault: 'cut' },
      { text: '', status: 302, headers: { location: 'https://elsewhere.invalid/' } },
      { json: {}, status: 400 },
      { json: {}, status: 401 },
      { json: {}, status: 500 },
      { json: {}, status: 503 },
      { fault: 'reset' },
    ];
    let reply = bad[0];
    const { engine } = await systemOneWith(t, (request) =>
      request.text.includes('bad luck') && reply !== undefined ? reply : handler(request),
    );
    for (reply of bad) {
      for (let i = 0; i < 4; i++)
        await assert.rejects(engine.score(textState('bad luck'), questions, nothing()));
      assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
      assert.equal(engine.health(), 'ok');
    }
  });

  test('a request that hangs does not hold up others', async (t) => {
    const handler = systemOneHandler();
    const { engine } = await systemOneWith(
      t,
      (request) => (request.text.includes('stuck') ? { fault: 'hang' } : handler(request)),
      { timeoutMs: 60_000 },
    );
    const leave = new AbortController();
    const stuck = engine.score(textState('stuck'), questions, leave.signal);
    await Promise.all(Array.from({ length: 20 }, () => engine.score(state, questions, nothing())));
    leave.abort(new Error('gone'));
    await assert.rejects(stuck, { message: 'gone' });
  });
});
