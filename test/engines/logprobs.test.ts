import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Distribution, NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { png } from '../support/images.ts';
import {
  assertDistributions,
  choiceQuestion,
  field,
  nothing,
  noulQuestion,
  scoreQuestion,
  textState,
} from '../support/upstream-checks.ts';
import type { UpstreamHandler } from '../support/upstream.ts';
import {
  llamaHandler,
  ollamaHandler,
  sglangHandler,
  vllmHandler,
} from '../support/upstream-local-servers.ts';
import { logprobsWith, openLogprobs } from '../support/upstream-logprobs.ts';
import { exactDistribution } from '../support/upstream-model.ts';
import { completionsHandler, openAiHandler } from '../support/upstream-openai.ts';

const stateText = 'I was charged twice for order 4411, please fix this today.';
const state = textState(stateText);
const refund = noulQuestion('Is the customer asking for money back?');
const topic = choiceQuestion('About what?', ['billing', 'technical', 'other']);
const anger = scoreQuestion('How angry?', ['calm', 'annoyed', 'furious']);
const questions = [refund, topic, anger];
const wide = choiceQuestion(
  'Which?',
  Array.from({ length: 255 }, (_, index) => `option ${index}`),
);

const servers: Readonly<Record<string, () => UpstreamHandler>> = {
  openai: () => openAiHandler(),
  'openai with max_completion_tokens': () => openAiHandler({ completionTokens: true }),
  'openai of a model that reasons': () => openAiHandler({ logprobs: false, sample: skewed }),
  azure: () => openAiHandler({ cap: 5, crowd: 0 }),
  completions: () => completionsHandler({ crowd: 0 }),
  vllm: () => vllmHandler(),
  'vllm of a model without a system role': () => vllmHandler({ systemRole: false }),
  'vllm before logprob_token_ids': () => vllmHandler({ logprobTokenIds: false }),
  sglang: () => sglangHandler(),
  'sglang before prompt ids': () => sglangHandler({ promptIds: false }),
  'llama-server': () => llamaHandler(),
  'llama-server without a tokenizer': () => llamaHandler({ tokenizes: false }),
  ollama: () => ollamaHandler(),
};

/** Probabilities that do not depend on labels: every model that writes them is as good as another here. */
function skewed(labels: readonly string[]): string {
  return JSON.stringify(
    Object.fromEntries(labels.map((label, index) => [label, (index + 1) / 1_000] as const)),
  );
}

function exact(question: NormalizedQuestion): Distribution {
  const texts = question.options.map(({ name, description }) => {
    if (question.kind === 'noul') return name === 'true' ? 'yes' : 'no';
    return question.kind === 'score' ? description : name;
  });
  return exactDistribution(stateText, question.question, texts);
}

function distance(a: Distribution, b: Distribution): number {
  return Math.max(...a.map((p, index) => Math.abs(p - (b[index] ?? 0))));
}

for (const [name, handler] of Object.entries(servers)) {
  suite(`logprobs over ${name}`, () => {
    test('every question has one distribution with every option above 0, and sums are exact', async (t) => {
      const { engine } = await logprobsWith(t, handler());
      const scored = await engine.score(state, questions, nothing());
      assertDistributions(scored, questions, 1e-12);
      assert.ok(scored.flat().every((p) => p > 0));
    });

    test('the same input has the same output, and other questions change nothing', async (t) => {
      const { engine } = await logprobsWith(t, handler());
      const first = await engine.score(state, questions, nothing());
      assert.deepEqual(await engine.score(state, questions, nothing()), first);
      const alone = await Promise.all(
        questions.map((question) => engine.score(state, [question], nothing())),
      );
      assert.deepEqual(alone.flat(), first);
      const turned = await engine.score(state, questions.toReversed(), nothing());
      assert.deepEqual(turned.toReversed(), first);
    });

    test('255 options have an answer each, and the likeliest is the right one', async (t) => {
      const { engine } = await logprobsWith(t, handler());
      const [scored = []] = await engine.score(state, [wide], nothing());
      assertDistributions([scored], [wide], 1e-12);
      assert.ok(scored.every((p) => p > 0));
      if (name.includes('reasons')) return;
      const right = exact(wide);
      const best = right.indexOf(Math.max(...right));
      assert.equal(scored.indexOf(Math.max(...scored)), best);
    });
  });
}

suite('how close logprobs come to the whole distribution', () => {
  for (const name of ['llama-server', 'vllm', 'sglang']) {
    test(`${name} gives 255 options exactly`, async (t) => {
      const { engine } = await logprobsWith(t, (servers[name] ?? llamaHandler)());
      const [scored = []] = await engine.score(state, [wide], nothing());
      assert.ok(distance(scored, exact(wide)) < 1e-6, `${distance(scored, exact(wide))}`);
    });
  }

  test('with a cap of 20, groups and a final pass come within 0.01 of it', async (t) => {
    const { engine, upstream } = await logprobsWith(t, openAiHandler());
    const before = upstream.requests.length;
    const [scored = []] = await engine.score(state, [wide], nothing());
    assert.ok(distance(scored, exact(wide)) < 0.01, `${distance(scored, exact(wide))}`);
    assert.equal(upstream.requests.length - before, 17, '16 groups of 16 and one final pass');
  });

  test('few options are exact wherever they are all listed', async (t) => {
    for (const name of ['openai', 'vllm', 'sglang', 'llama-server', 'ollama']) {
      const { engine } = await logprobsWith(t, (servers[name] ?? openAiHandler)());
      const scored = await engine.score(state, questions, nothing());
      for (const [index, question] of questions.entries()) {
        assert.ok(distance(scored[index] ?? [], exact(question)) < 1e-6, name);
      }
    }
  });

  test('a label that is crowded out has the smallest listed probability and never 0', async (t) => {
    const { engine } = await logprobsWith(t, openAiHandler({ crowd: 18 }));
    const many = choiceQuestion('Which?', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    const [scored = []] = await engine.score(state, [many], nothing());
    const bound = Math.min(...scored);
    assert.ok(bound > 0);
    assert.ok(scored.filter((p) => p === bound).length > 1, 'those that are missing share the bound');
  });

  test('-9999.0 is missing and not a probability', async (t) => {
    const { engine } = await logprobsWith(t, vllmHandler({ logprobTokenIds: false, maskedFrom: 6 }));
    const many = choiceQuestion('Which?', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    const [scored = []] = await engine.score(state, [many], nothing());
    assert.ok(
      scored.every((p) => p > 1e-6),
      String(scored),
    );
  });

  test('tokens are known by their bytes, a leading space and raw marks', async (t) => {
    const marks = ['\u2581', '\u0120', ' ', ''];
    const { engine } = await logprobsWith(
      t,
      openAiHandler({
        distort: (tokens) =>
          tokens.map((token, index) => ({
            ...token,
            text: token.text.replace(/^ ?/, marks[index % 4] ?? ''),
          })),
      }),
    );
    const [scored = []] = await engine.score(state, [topic], nothing());
    assert.ok(distance(scored, exact(topic)) < 1e-6);
  });

  test('how much of the distribution fell on labels is told once per question', async (t) => {
    const masses: number[] = [];
    const { engine } = await logprobsWith(t, openAiHandler(), { onLabelMass: (mass) => masses.push(mass) });
    await engine.score(state, questions, nothing());
    assert.equal(masses.length, 3);
    assert.ok(masses.every((mass) => mass > 0 && mass < 1));
  });
});

suite('what logprobs sends', () => {
  test('the state is a prefix that all questions share, and nothing of it is in the system role', async (t) => {
    const { engine, upstream } = await logprobsWith(t, openAiHandler());
    await engine.score(state, questions, nothing());
    const users = upstream.requests
      .slice(-3)
      .map(({ body }) => String(field(field(field(body, 'messages'), '1'), 'content')));
    const shared = `<material>\n${stateText}\n</material>`;
    assert.ok(users.every((user) => user.startsWith(shared)));
    const systems = upstream.requests.map(({ body }) =>
      field(field(field(body, 'messages'), '0'), 'content'),
    );
    assert.ok(systems.every((system) => system === undefined || !JSON.stringify(system).includes('4411')));
  });

  test('local servers are told not to reason, OpenAI gets no field that it does not know', async (t) => {
    for (const handler of [vllmHandler(), sglangHandler(), llamaHandler()]) {
      const { engine, upstream } = await logprobsWith(t, handler);
      await engine.score(state, [refund], nothing());
      const last = upstream.requests.findLast(({ path }) => path === '/v1/chat/completions');
      assert.deepEqual(field(last?.body, 'chat_template_kwargs'), { enable_thinking: false });
    }
  });

  test('images go along where the server takes them', async (t) => {
    const image = { format: 'png', bytes: png(8, 8), width: 8, height: 8, tokens: 1 } as const;
    const seen = { ...state, images: [image] };
    const url = `data:image/png;base64,${png(8, 8).toString('base64')}`;
    for (const handler of [
      openAiHandler(),
      vllmHandler({ vision: true }),
      sglangHandler({ vision: true }),
      llamaHandler({ vision: true }),
    ]) {
      const { engine, upstream } = await logprobsWith(t, handler);
      assert.equal(engine.vision, true);
      assertDistributions(await engine.score(seen, [topic], nothing()), [topic], 1e-12);
      const content = field(field(field(upstream.requests.at(-1)?.body, 'messages'), '1'), 'content');
      assert.deepEqual(field(content, '1'), { type: 'image_url', image_url: { url } });
    }
    const { engine, upstream } = await logprobsWith(t, ollamaHandler({ vision: true }));
    assert.equal(engine.vision, true);
    await engine.score(seen, [topic], nothing());
    const user = field(field(upstream.requests.at(-1)?.body, 'messages'), '1');
    assert.deepEqual(field(user, 'images'), [png(8, 8).toString('base64')]);
  });

  test('a server without vision makes an engine without vision', async (t) => {
    const blind = [
      openAiHandler({ vision: false }),
      vllmHandler(),
      sglangHandler(),
      llamaHandler(),
      ollamaHandler(),
    ];
    for (const handler of blind) assert.equal((await logprobsWith(t, handler)).engine.vision, false);
  });

  test('what a server can do is asked once and not again', async (t) => {
    for (const handler of [
      openAiHandler({ cap: 7, vague: true }),
      vllmHandler({ maxLogprobs: 50 }),
      ollamaHandler(),
    ]) {
      const { engine, upstream } = await logprobsWith(t, handler);
      assert.ok(upstream.requests.length <= 22, `${upstream.requests.length}`);
      const before = upstream.requests.length;
      for (let i = 0; i < 3; i++) await engine.score(state, [refund], nothing());
      assert.equal(upstream.requests.length - before, 3);
    }
  });

  test('one request goes ahead, the rest follow with bounded concurrency', async (t) => {
    const handler = openAiHandler();
    let first: number | null = null;
    let slow = false;
    const { engine, upstream } = await logprobsWith(
      t,
      async (request) => {
        if (slow) {
          first ??= upstream.requests.length;
          const alone = upstream.requests.length === first;
          await new Promise((resolve) => setTimeout(resolve, alone ? 60 : 10));
          if (alone) assert.equal(upstream.busy, 1, 'nobody goes along with the first');
        }
        return handler(request);
      },
      { concurrency: 6 },
    );
    slow = true;
    const many = Array.from({ length: 128 }, (_, index) => noulQuestion(`Question ${index}?`));
    assertDistributions(await engine.score(state, many, nothing()), many, 1e-12);
    assert.equal(upstream.busiest, 6);
  });

  test('an address may name the version or not', async (t) => {
    const { upstream } = await logprobsWith(t, vllmHandler());
    const engine = await openLogprobs(t, [`${upstream.url}/v1`]);
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });
});
