import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { decisionPaths, openDecisions, unlimited, type DecisionPath } from '../support/decisions.ts';
import { scriptedEngine } from '../support/engines.ts';
import { startServer } from '../support/server.ts';

const { post, refusalOf, engine } = await openDecisions({ after });
const reader = Object.assign(scriptedEngine(), { readsExamples: true });
const reading = await startServer({ after }, { env: unlimited, decisions: reader });

const model = 'svc-decider-v1-27b';

/** The same question in the form of a path, with examples. */
function bodyOf(path: DecisionPath, kind: 'noul' | 'choice' | 'score', examples: unknown) {
  if (path.startsWith('/openai')) {
    const forms = {
      noul: { type: 'predicate' },
      choice: { type: 'choice', choices: [{ value: 'a' }, { value: true }] },
      score: { type: 'score', levels: [{ label: 'low' }, { label: 'high' }] },
    };
    return {
      model,
      input: 'x',
      questions: [{ ...forms[kind], name: 'q', instructions: 'Which?', examples }],
    };
  }
  const criteria = { noul: null, choice: { a: null, true: null }, score: ['low', 'high'] };
  const question = { type: kind, instructions: 'Which?', criteria: criteria[kind], examples };
  return { model, state: 'x', questions: { q: question } };
}

const nameOf = (path: DecisionPath) => (path.startsWith('/openai') ? '0' : 'q');

/** What an engine that reads examples is handed. */
async function handed(path: DecisionPath, kind: 'noul' | 'choice' | 'score', examples: unknown) {
  const response = await reading.post(path, bodyOf(path, kind, examples));
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('x-nestor-ignored'), null);
  return reader.calls.at(-1)?.questions[0]?.examples;
}

suite('examples in a question', () => {
  for (const path of decisionPaths) {
    test(`${path}: are handed to an engine that reads them, by the names of their options`, async () => {
      assert.deepEqual(
        await handed(path, 'noul', [
          { text: 'yes', answer: true },
          { state: { a: [1] }, answer: false },
        ]),
        [
          { text: 'yes', answer: 'true' },
          { text: '{"a": [1]}', answer: 'false' },
        ],
      );
      assert.deepEqual(await handed(path, 'choice', [{ text: 'one', answer: 'a' }]), [
        { text: 'one', answer: 'a' },
      ]);
      assert.deepEqual(await handed(path, 'score', [{ text: 'one', answer: 1 }]), [
        { text: 'one', answer: '1' },
      ]);
      for (const none of [undefined, null, []]) assert.equal(await handed(path, 'noul', none), undefined);
      const many = Array.from({ length: 64 }, () => ({ text: 't', answer: true }));
      assert.equal((await handed(path, 'noul', many))?.length, 64);
    });

    test(`${path}: change nothing where no engine reads them, and the header says so`, async () => {
      const plain = await post(path, bodyOf(path, 'noul', null));
      const given = await post(path, bodyOf(path, 'noul', [{ text: 'yes', answer: true }]));
      assert.equal(given.text, plain.text);
      assert.equal(plain.headers['x-nestor-ignored'], undefined);
      assert.equal(given.headers['x-nestor-ignored'], `questions.${nameOf(path)}.examples`);
      const asked = engine.calls.at(-1)?.questions[0] as NormalizedQuestion;
      assert.ok(!('examples' in asked));
    });

    test(`${path}: that are no examples are refused by their place`, async () => {
      const most = 'examples must be an array of at most 64';
      const one = 'An example must have either text or state';
      const level = 'The answer of an example must be the index of a level, 0 to 1';
      const option = 'The answer of an example must be one of the options';
      const cases = [
        ['noul', 'x', '', most],
        ['noul', Array.from({ length: 65 }, () => ({ text: 't', answer: true })), '', most],
        ['noul', [{ answer: true }], '.0', one],
        ['noul', [{ text: 't', state: 't', answer: true }], '.0', one],
        [
          'noul',
          [{ text: 't', answer: [] }],
          '.0.answer',
          'answer must be true or false, an option or the index of a level',
        ],
        [
          'noul',
          [{ text: 't', answer: 'true' }],
          '.0.answer',
          'The answer of an example must be true or false',
        ],
        [
          'choice',
          [
            { text: 't', answer: 'a' },
            { text: 't', answer: 'b' },
          ],
          '.1.answer',
          option,
        ],
        ['choice', [{ text: 't', answer: 0 }], '.0.answer', option],
        ['score', [{ text: 't', answer: 2 }], '.0.answer', level],
        ['score', [{ text: 't', answer: 'middle' }], '.0.answer', level],
      ] as const;
      for (const [kind, examples, place, message] of cases) {
        const refusal = await refusalOf(path, bodyOf(path, kind, examples));
        const param = `questions.${nameOf(path)}.examples${place}`;
        assert.deepEqual(refusal, { message, type: 'invalid_request', param }, JSON.stringify(examples));
      }
    });
  }

  test('in the shape of OpenAI a level may be named by its label, and true is a choice of its own', async () => {
    const path = '/openai/v1/decisions';
    assert.deepEqual(await handed(path, 'score', [{ text: 't', answer: 'high' }]), [
      { text: 't', answer: '1' },
    ]);
    assert.deepEqual(await handed(path, 'choice', [{ text: 't', answer: true }]), [
      { text: 't', answer: 'true' },
    ]);
    const refusal = await refusalOf(path, bodyOf(path, 'choice', [{ text: 't', answer: 'true' }]));
    assert.match(refusal.message, /must be one of the options/);
  });

  test('hold no images', async () => {
    const url = { url: 'data:image/png;base64,AAAA' };
    const state = [{ type: 'image_url', image_url: url }];
    const refusal = await refusalOf(
      '/v1/decisions',
      bodyOf('/v1/decisions', 'noul', [{ state, answer: true }]),
    );
    assert.deepEqual(refusal.param, 'questions.q.examples.0.state.0');
  });
});
