import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { png } from '../support/images.ts';
import {
  assertDistributions,
  assertQuiet,
  choiceQuestion,
  nothing,
  noulQuestion,
  rejectsFault,
  textState,
  upstreamFaults,
} from '../support/upstream-checks.ts';
import { hangMs, until } from '../support/until.ts';
import { llamaHandler, vllmHandler } from '../support/upstream-local-servers.ts';
import { logprobsWith, openLogprobs } from '../support/upstream-logprobs.ts';
import { openAiHandler } from '../support/upstream-openai.ts';
import {
  startUpstream,
  type UpstreamFault,
  type UpstreamHandler,
  type UpstreamReply,
} from '../support/upstream.ts';

const state = textState('I was charged twice for order 4411, please fix this today.');
const refund = noulQuestion('Is the customer asking for money back?');
const topic = choiceQuestion('About what?', ['billing', 'technical', 'other']);
const questions = [refund, topic];

/** Works until it is broken, so that the probe at the start succeeds. */
function breakable(handler: UpstreamHandler = openAiHandler()) {
  const box: { reply: UpstreamReply | null } = { reply: null };
  const wrapped: UpstreamHandler = (request) => box.reply ?? handler(request);
  return { box, handler: wrapped };
}

suite('when the upstream of logprobs fails', () => {
  for (const [fault, code] of Object.entries(upstreamFaults)) {
    test(`${fault} is ${code} within the timeout, and nothing leaks`, async (t) => {
      const { box, handler } = breakable();
      const { engine, upstream } = await logprobsWith(t, handler, {
        timeoutMs: code === 'gateway_timeout' ? 2_000 : hangMs,
      });
      box.reply = { fault: fault as UpstreamFault };
      assertQuiet(await rejectsFault(engine.score(state, questions, nothing()), code), upstream);
    });
  }

  for (const [status, code] of [
    [401, 'bad_gateway'],
    [403, 'bad_gateway'],
    [404, 'bad_gateway'],
    [500, 'bad_gateway'],
    [503, 'service_unavailable'],
    [429, 'service_unavailable'],
  ] as const) {
    test(`status ${status} is ${code}, during a request and from the start`, async (t) => {
      const refusal = { status, json: { error: { message: 'upstream-secret-text' } } };
      const { box, handler } = breakable();
      const { engine, upstream } = await logprobsWith(t, handler);
      box.reply = refusal;
      assertQuiet(await rejectsFault(engine.score(state, questions, nothing()), code), upstream);
      const late = await logprobsWith(t, () => refusal, { coolDownMs: 60_000 });
      assert.equal(late.engine.health(), 'down');
      await rejectsFault(late.engine.score(state, questions, nothing()), code);
    });
  }

  test('an answer without the logprobs that were there before is a bad gateway', async (t) => {
    const { box, handler } = breakable();
    const { engine } = await logprobsWith(t, handler);
    box.reply = { json: { choices: [{ message: { content: 'A' }, logprobs: null }] } };
    await rejectsFault(engine.score(state, questions, nothing()), 'bad_gateway');
  });

  test('one failed question fails the request, and the rest is not sent', async (t) => {
    const handler = openAiHandler();
    const { engine, upstream } = await logprobsWith(
      t,
      (request) => (request.text.includes('Question 5?') ? { fault: 'html' } : handler(request)),
      { concurrency: 2 },
    );
    const before = upstream.requests.length;
    const many = Array.from({ length: 100 }, (_, index) => noulQuestion(`Question ${index}?`));
    await rejectsFault(engine.score(state, many, nothing()), 'bad_gateway');
    assert.ok(upstream.requests.length - before < 15);
  });

  test('an abort ends all requests under way', async (t) => {
    const { box, handler } = breakable(llamaHandler());
    const { engine, upstream } = await logprobsWith(t, handler);
    const many = Array.from({ length: 64 }, (_, index) => noulQuestion(`Question ${index}?`));
    for (const after of [0, 1]) {
      box.reply = { fault: 'hang' };
      const aborting = new AbortController();
      const running = engine.score(state, after === 0 ? [refund] : many, aborting.signal);
      await until(() => upstream.busy > 0);
      aborting.abort(new Error('gone'));
      await assert.rejects(running, { message: 'gone' });
      await until(() => upstream.busy === 0);
    }
  });

  test('429 within the retries is waited for, and the answer is the same as without', async (t) => {
    const handler = openAiHandler();
    let busy = 0;
    const { engine } = await logprobsWith(t, (request) =>
      busy-- > 0 ? { status: 429, headers: { 'retry-after-ms': '20' }, json: {} } : handler(request),
    );
    const calm = await engine.score(state, questions, nothing());
    busy = 2;
    assert.deepEqual(await engine.score(state, questions, nothing()), calm);
  });
});

suite('several upstreams of logprobs', () => {
  for (const fault of ['html', 'hang', 'reset'] as const) {
    test(`${fault} at the first is answered by the second`, async (t) => {
      const { box, handler } = breakable();
      const first = await startUpstream(t, handler);
      const second = await startUpstream(t, vllmHandler());
      const engine = await openLogprobs(t, [first, second], { timeoutMs: fault === 'hang' ? 4_000 : hangMs });
      box.reply = { fault };
      assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
    });
  }

  test('one that is dead at the start does not keep the other from answering', async (t) => {
    const dead = await startUpstream(t, () => ({ fault: 'hang' }));
    const second = await startUpstream(t, vllmHandler());
    const engine = await openLogprobs(t, [dead, second], { openWaitMs: 200, timeoutMs: 4_000 });
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });

  test('a state with images goes to the one that takes them', async (t) => {
    const blind = await startUpstream(t, vllmHandler());
    const seeing = await startUpstream(t, vllmHandler({ vision: true }));
    const engine = await openLogprobs(t, [blind, seeing]);
    assert.equal(engine.vision, true);
    const image = { format: 'png', bytes: png(8, 8), width: 8, height: 8, tokens: 1 } as const;
    const before = blind.requests.length;
    await engine.score({ ...state, images: [image] }, questions, nothing());
    assert.equal(blind.requests.length, before);
  });

  test('a server that was down at the start is known, vision included, once it is up', async (t) => {
    const { box, handler } = breakable(vllmHandler({ vision: true }));
    box.reply = { status: 503, json: {} };
    const { engine } = await logprobsWith(t, handler, { coolDownMs: 100 });
    assert.deepEqual([engine.health(), engine.vision], ['down', false]);
    box.reply = null;
    await until(() => engine.health() === 'ok');
    assert.equal(engine.vision, true);
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });

  test('a server that is busy while it is asked what it can do is asked again', async (t) => {
    const handler = vllmHandler({ vision: true });
    let count = 0;
    // Every third request is refused for now: nothing may be concluded from that.
    const { engine } = await logprobsWith(
      t,
      (request) => (++count % 3 === 0 ? { status: 429, json: {} } : handler(request)),
      { coolDownMs: 50 },
    );
    await until(() => engine.health() === 'ok' && engine.vision);
    const wide = choiceQuestion(
      'Which?',
      Array.from({ length: 60 }, (_, index) => `option ${index}`),
    );
    assertDistributions(await engine.score(state, [wide], nothing()), [wide], 1e-12);
  });

  test('a server that comes back with a lower cap is asked anew', async (t) => {
    let handler = vllmHandler({ logprobTokenIds: false, maxLogprobs: 20 });
    const { engine } = await logprobsWith(t, (request) => handler(request));
    await engine.score(state, questions, nothing());
    handler = vllmHandler({ logprobTokenIds: false, maxLogprobs: 10, crowd: 0 });
    await rejectsFault(engine.score(state, questions, nothing()), 'bad_gateway');
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });

  test('requests that hang do not hold up others', async (t) => {
    const handler = openAiHandler();
    const { engine } = await logprobsWith(
      t,
      (request) => (request.text.includes('stuck') ? { fault: 'hang' } : handler(request)),
      { timeoutMs: 60_000 },
    );
    const leave = new AbortController();
    const stuck = engine.score(textState('stuck'), questions, leave.signal);
    await Promise.all(Array.from({ length: 10 }, () => engine.score(state, questions, nothing())));
    leave.abort(new Error('gone'));
    await assert.rejects(stuck, { message: 'gone' });
  });
});

suite('structured output instead of logprobs', () => {
  const even = (labels: readonly string[]) =>
    JSON.stringify(Object.fromEntries(labels.map((label) => [label, 1 / labels.length] as const)));

  test('the average over turned orders takes a bias for a place out', async (t) => {
    const first = (labels: readonly string[]) =>
      JSON.stringify(Object.fromEntries(labels.map((label, index) => [label, index === 0 ? 1 : 0] as const)));
    const { engine } = await logprobsWith(t, openAiHandler({ logprobs: false, sample: first }));
    const [yes = [], which = []] = await engine.score(state, questions, nothing());
    for (const p of [...yes, ...which]) assert.ok(Math.abs(p * (p > 0.4 ? 2 : 3) - 1) < 1e-9, `${p}`);
  });

  test('text that is no set of probabilities is asked for again, a few times', async (t) => {
    const bad = [
      '',
      'Certainly!',
      '[0.5,0.5]',
      '{"A":1}',
      '{"A":-1,"B":2}',
      '{"A":0,"B":0}',
      '{"A":"1","B":0}',
    ];
    for (const text of bad) {
      let broken = 0;
      const script = openAiHandler({
        logprobs: false,
        sample: (labels) => (broken-- > 0 ? text : even(labels)),
      });
      const { engine, upstream } = await logprobsWith(t, script);
      broken = 2;
      assertDistributions(await engine.score(state, [refund], nothing()), [refund], 1e-12);
      broken = 1_000;
      assertQuiet(await rejectsFault(engine.score(state, [refund], nothing()), 'bad_gateway'), upstream);
    }
  });

  test('a model that neither lists labels nor writes probabilities makes the engine down', async (t) => {
    const { engine } = await logprobsWith(t, openAiHandler({ talks: true, crowd: 100, sample: () => 'no' }));
    assert.equal(engine.health(), 'down');
  });

  test('a model that talks before it answers is asked for numbers', async (t) => {
    const { engine, upstream } = await logprobsWith(t, openAiHandler({ talks: true, crowd: 100 }));
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
    assert.ok(upstream.requests.at(-1)?.text.includes('json_schema'));
  });
});
