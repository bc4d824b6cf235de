import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { startServer } from '../support/server.ts';
import { dataUrl, imagePart, png } from '../support/images.ts';
import { startUpstream } from '../support/upstream.ts';
import { openSystemOne, systemOneHandler, systemOneWith } from '../support/upstream-systemone.ts';
import {
  assertDistributions,
  assertQuiet,
  choiceQuestion,
  field,
  nothing,
  noulQuestion,
  rejectsFault,
  scoreQuestion,
  textState,
} from '../support/upstream-checks.ts';

const state = textState('I was charged twice for order 4411, please fix this today.');
const refund = noulQuestion('Is the customer asking for money back?');
const topic = choiceQuestion('About what?', ['billing', 'technical', 'other']);
const anger = scoreQuestion('How angry?', ['calm', 'annoyed', 'furious']);
const months = choiceQuestion(
  'Which month?',
  Array.from({ length: 12 }, (_, index) => `month ${index + 1}`),
);
const questions = [refund, topic, anger];

suite('what systemone sends', () => {
  test('one request carries the state as it was written and every question under a name without meaning', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler());
    const described: NormalizedQuestion = {
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

  test('examples stay here: the protocol has none', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler());
    const examples = [{ text: 'Give it back', answer: 'true' }];
    await engine.score(state, [refund], nothing());
    await engine.score(state, [{ ...refund, examples }], nothing());
    assert.deepEqual(upstream.requests[1]?.body, upstream.requests[0]?.body);
    assert.notEqual(engine.readsExamples, true);
  });

  test('image parts of the state are passed on where they stood', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler());
    assert.equal(engine.vision, true);
    const entry = [{ type: 'text', text: 'see' }, imagePart(dataUrl(png(8, 8)))];
    const image = { format: 'png', bytes: png(8, 8), width: 8, height: 8, tokens: 1 } as const;
    await engine.score({ entry, text: 'see', images: [image] }, [refund], nothing());
    assert.deepEqual(field(upstream.requests[0]?.body, 'state'), entry);
  });

  test('options keep their order on the wire, also where their names are numbers', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler());
    await engine.score(
      state,
      [choiceQuestion('Which?', ['z', '10', '2', '__proto__', 'a "b"\n'])],
      nothing(),
    );
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
      const engine = await openSystemOne(t, [upstream.url + end]);
      await engine.score(state, [refund], nothing());
    }
    assert.deepEqual(new Set(upstream.requests.map(({ path }) => path)), new Set(['/v1/systemone']));
  });

  test('without a key no credentials are sent', async (t) => {
    const upstream = await startUpstream(t, systemOneHandler());
    const engine = await openSystemOne(t, [], { upstreams: [{ url: upstream.url, key: null, model: 'm' }] });
    await engine.score(state, [refund], nothing());
    assert.equal(upstream.requests[0]?.headers['authorization'], undefined);
  });
});

suite('what systemone answers', () => {
  test('every question has one distribution, in order, with every option, and sums are exact', async (t) => {
    const { engine } = await systemOneWith(t, systemOneHandler(undefined, 2));
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });

  test('the same input has the same output, and other questions change nothing', async (t) => {
    const { engine } = await systemOneWith(t, systemOneHandler());
    const first = await engine.score(state, questions, nothing());
    assert.deepEqual(await engine.score(state, questions, nothing()), first);
    const alone = await Promise.all(questions.map((question) => engine.score(state, [question], nothing())));
    assert.deepEqual(alone.flat(), first);
    const turned = await engine.score(state, questions.toReversed(), nothing());
    assert.deepEqual(turned.toReversed(), first);
  });

  test('a question in another order of its options gets its answer back in that order', async (t) => {
    const { engine } = await systemOneWith(t, systemOneHandler());
    const turn = (question: NormalizedQuestion): NormalizedQuestion => ({
      ...question,
      options: question.options.toReversed(),
    });
    const [straight, turned] = [
      await engine.score(state, [refund, anger], nothing()),
      await engine.score(state, [turn(refund), turn(anger)], nothing()),
    ];
    assert.deepEqual(turned[1], straight[1]?.toReversed());
    assert.ok(Math.abs((turned[0]?.[1] ?? 0) - (straight[0]?.[0] ?? 1)) < 1e-15);
  });

  test('options with one name, or a blank one, are told apart by their place', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler());
    const question = choiceQuestion('Which?', [
      'true',
      'true',
      ' ',
      'option 3',
      '__proto__',
      'constructor',
      'true (2)',
    ]);
    assertDistributions(await engine.score(state, [question], nothing()), [question], 1e-12);
    const sent = field(field(upstream.requests[0]?.body, 'questions'), 'q0');
    assert.equal(Object.keys(field(sent, 'criteria') ?? {}).length, 7);
  });

  test('128 questions and 255 options go through in one request', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler(undefined, 6));
    const many = Array.from({ length: 127 }, (_, index) => noulQuestion(`Question ${index}?`));
    const wide = choiceQuestion(
      'Which?',
      Array.from({ length: 255 }, (_, index) => `option ${index}`),
    );
    assertDistributions(await engine.score(state, [...many, wide], nothing()), [...many, wide], 1e-12);
    assert.equal(upstream.requests.length, 1);
  });

  test('tokens are estimated without asking: the state once, each question once', async (t) => {
    const { upstream, engine } = await systemOneWith(t, systemOneHandler());
    const [one, all] = [
      await engine.countTokens(state, [refund], nothing()),
      await engine.countTokens(state, questions, nothing()),
    ];
    assert.ok(one > 0 && all > one && all < 2 * one);
    assert.equal(upstream.requests.length, 0);
  });
});

test('a real System One server, another Nestor, is answered through and through', async (t) => {
  const server = await startServer(t);
  const upstreams = [{ url: server.url, key: server.key, model: 'jev-latest' }];
  const engine = await openSystemOne(t, [], { upstreams });
  const wide = choiceQuestion(
    'Which?',
    Array.from({ length: 255 }, (_, index) => `option ${index}`),
  );
  const asked = [...questions, wide];
  assertDistributions(await engine.score(state, asked, nothing()), asked, 1e-12);
  assert.equal(engine.health(), 'ok');
});

test('more questions than the protocol takes at once are several requests, answered in order', async (t) => {
  const { engine, upstream } = await systemOneWith(t, systemOneHandler());
  const many = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? refund : topic));
  const answers = await engine.score(state, many, nothing());
  assertDistributions(answers, many, 1e-12);
  const asked = upstream.requests.map(({ body }) => Object.keys(field(body, 'questions') as object).length);
  assert.deepEqual(
    asked.toSorted((a, b) => a - b),
    [44, 128, 128],
  );
});

suite('what systemone refuses to believe', () => {
  const distortions: Readonly<Record<string, (answers: Record<string, Record<string, unknown>>) => unknown>> =
    {
      'no answers': () => undefined,
      'a missing answer': (answers) => ({ q0: answers['q0'], q2: answers['q2'] }),
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
      const { engine, upstream } = await systemOneWith(t, systemOneHandler(distort));
      const fault = await rejectsFault(engine.score(state, questions, nothing()), 'bad_gateway');
      assertQuiet(fault, upstream);
    });
  }

  test('a sum within 0.02 of 1 is rounding', async (t) => {
    const off = systemOneHandler((answers) =>
      withOptions(answers, { billing: 0.5, technical: 0.41, other: 0.08 }),
    );
    const { engine } = await systemOneWith(t, off);
    assertDistributions(await engine.score(state, questions, nothing()), questions, 1e-12);
  });

  test('what rounding to two decimals does to many options is rounding', async (t) => {
    const even = systemOneHandler((answers) =>
      withOptions(answers, Object.fromEntries(months.options.map(({ name }) => [name, 0.08]))),
    );
    const asked = [refund, months, anger];
    const { engine } = await systemOneWith(t, even);
    assertDistributions(await engine.score(state, asked, nothing()), asked, 1e-12);
    const intents = choiceQuestion(
      'Which?',
      Array.from({ length: 77 }, (_, index) => `intent ${index}`),
    );
    const coarse = await systemOneWith(t, systemOneHandler(undefined, 2));
    for (let i = 0; i < 20; i++) {
      const answers = await coarse.engine.score(textState(`message ${i}`), [intents], nothing());
      assertDistributions(answers, [intents], 1e-12);
    }
  });

  function withOptions(answers: Record<string, Record<string, unknown>>, probabilities: unknown) {
    return { ...answers, q1: { ...answers['q1'], probabilities } };
  }
});
