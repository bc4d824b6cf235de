import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { nativePaths, openDecisions, unlimited } from '../support/decisions.ts';
import { scriptedEngine } from '../support/engines.ts';
import { ask, model } from '../support/examples.ts';
import { jsonOf, type ErrorObject } from '../support/http.ts';
import { dataUrl, imagePart, png } from '../support/images.ts';
import { startServer } from '../support/server.ts';

/** Contract 6.3 and 6.7: what a refused decision says, word for word, and which fault answers first. */

const { post, refusalOf } = await openDecisions({ after });

const noul = { type: 'noul', instructions: 'x' };
const record = (n: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: n }, (_, index) => [`n${index}`, value]));
const without = (name: string) => {
  const { [name]: _, ...rest } = ask(noul) as Record<string, unknown>;
  return rest;
};
const criteria = (type: string, value?: unknown) =>
  ask(value === undefined ? { type } : { type, criteria: value });

const request = 'invalid_request_error';
const question = 'invalid_request';
const modelMessage = (name: string) => `Invalid model '${name}'. Permitted models: svc-decider-v1-27b`;
const stateMessage = 'state must be a string, object or array';
const questionsMessage = 'questions must be an object with 1 to 128 entries';
const choiceMessage = 'Choice question must have 1 to 255 options';
const scoreMessage = 'Score question must have 1 to 10 levels';
const noulMessage = 'Noul question must have criteria or instructions';

/** Every 400 of the table of contract 6.7 that is alike on both native paths. */
const rows: readonly (readonly [string, unknown, string, string, string | null])[] = [
  ['bad JSON', '{"model":', request, 'Request body is not valid JSON', null],
  ['duplicate key', '{"model":"a","state":{"x":1,"x":2}}', request, 'Duplicate key "x"', 'state.x'],
  ['unknown top-level field', ask(noul, { x: 1 }), request, 'Unknown field "x"', 'x'],
  ['model missing', without('model'), request, 'Missing required field "model"', 'model'],
  ['model unknown', ask(noul, { model: 'x' }), request, modelMessage('x'), 'model'],
  ['model empty', ask(noul, { model: '' }), request, modelMessage(''), 'model'],
  [
    'model in another case',
    ask(noul, { model: 'SVC-decider-v1-27b' }),
    request,
    modelMessage('SVC-decider-v1-27b'),
    'model',
  ],
  ['model with a space', ask(noul, { model: `${model} ` }), request, modelMessage(`${model} `), 'model'],
  ['model null', ask(noul, { model: null }), request, modelMessage('null'), 'model'],
  ['model a number', ask(noul, { model: 5 }), request, modelMessage('5'), 'model'],
  ['model an array', ask(noul, { model: [model] }), request, modelMessage(JSON.stringify([model])), 'model'],
  [
    'model a name of the language',
    ask(noul, { model: '__proto__' }),
    request,
    modelMessage('__proto__'),
    'model',
  ],
  ['state missing', without('state'), request, stateMessage, 'state'],
  ['state a number', ask(noul, { state: 1 }), request, stateMessage, 'state'],
  ['state a boolean', ask(noul, { state: false }), request, stateMessage, 'state'],
  ['questions missing', without('questions'), request, questionsMessage, 'questions'],
  ['questions null', ask(noul, { questions: null }), request, questionsMessage, 'questions'],
  ['questions an array', ask(noul, { questions: [noul] }), request, questionsMessage, 'questions'],
  ['questions text', ask(noul, { questions: 'q' }), request, questionsMessage, 'questions'],
  ['no questions', ask(noul, { questions: {} }), request, questionsMessage, 'questions'],
  ['129 questions', ask(noul, { questions: record(129, noul) }), request, questionsMessage, 'questions'],
  [
    'empty question name',
    ask(noul, { questions: { '': noul } }),
    question,
    'Question names must not be empty',
    'questions',
  ],
  [
    'a type that points into images',
    ask({ type: 'box', instructions: 'Where is the dog?' }),
    question,
    'Question type box is not answered: no engine here tells where in an image something is',
    'questions.q.type',
  ],
  ['noul without both', criteria('noul'), question, noulMessage, 'questions.q'],
  ['choice options missing', criteria('choice'), question, choiceMessage, 'questions.q.criteria'],
  ['choice options null', criteria('choice', null), question, choiceMessage, 'questions.q.criteria'],
  ['choice options an array', criteria('choice', ['a']), question, choiceMessage, 'questions.q.criteria'],
  ['choice options text', criteria('choice', 'a'), question, choiceMessage, 'questions.q.criteria'],
  ['no choice options', criteria('choice', {}), question, choiceMessage, 'questions.q.criteria'],
  [
    '256 choice options',
    criteria('choice', record(256, null)),
    question,
    choiceMessage,
    'questions.q.criteria',
  ],
  ['score levels missing', criteria('score'), question, scoreMessage, 'questions.q.criteria'],
  ['score levels null', criteria('score', null), question, scoreMessage, 'questions.q.criteria'],
  ['score levels an object', criteria('score', { 0: 'a' }), question, scoreMessage, 'questions.q.criteria'],
  ['no score levels', criteria('score', []), question, scoreMessage, 'questions.q.criteria'],
  ['11 score levels', criteria('score', Array(11).fill('a')), question, scoreMessage, 'questions.q.criteria'],
];

/** Refusals without words of their own in the contract: only the type and the place are fixed. */
const wordless: readonly (readonly [string, unknown, string])[] = [
  ['a question that is no object', ask('x'), 'questions.q'],
  ['a question that is null', ask(null), 'questions.q'],
  ['a question that is an array', ask([noul]), 'questions.q'],
  ['type missing', ask({ instructions: 'x' }), 'questions.q.type'],
  ['type unknown', ask({ type: 'bool', instructions: 'x' }), 'questions.q.type'],
  ['type in another case', ask({ type: 'Noul', instructions: 'x' }), 'questions.q.type'],
  ['type a number', ask({ type: 1, instructions: 'x' }), 'questions.q.type'],
  ['type a name of the language', ask({ type: '__proto__', instructions: 'x' }), 'questions.q.type'],
  ['instructions a number', ask({ ...noul, instructions: 1 }), 'questions.q.instructions'],
  [
    'instructions a boolean',
    ask({ type: 'score', criteria: ['a'], instructions: true }),
    'questions.q.instructions',
  ],
  ['noul criteria an array', ask({ ...noul, criteria: [] }), 'questions.q.criteria'],
  ['noul criteria text', ask({ ...noul, criteria: 'x' }), 'questions.q.criteria'],
  [
    'a noul definition that is a number',
    ask({ ...noul, criteria: { true: 1 } }),
    'questions.q.criteria.true',
  ],
  ['an unknown noul criteria key', ask({ ...noul, criteria: { maybe: 'x' } }), 'questions.q.criteria.maybe'],
  ['an option description that is a number', criteria('choice', { a: 1 }), 'questions.q.criteria.a'],
  ['an empty option name', criteria('choice', { '': null, a: null }), 'questions.q.criteria'],
  ['a level that is a number', criteria('score', ['a', 1]), 'questions.q.criteria.1'],
];

suite('refusals of contract 6.7', () => {
  for (const path of nativePaths) {
    for (const [about, body, type, message, param] of rows) {
      test(`${about} on ${path}`, async () => {
        assert.deepEqual(await refusalOf(path, body), { message, type, param });
      });
    }
    for (const [about, body, param] of wordless) {
      test(`${about} on ${path}`, async () => {
        const error = await refusalOf(path, body);
        assert.deepEqual([error.type, error.param], [question, param]);
      });
    }
  }

  test('a body of the OpenAI shape is told where it is answered', async () => {
    const sent = { ...without('state'), input: 'x' };
    const error = await refusalOf('/v1/decisions', sent);
    assert.deepEqual([error.type, error.param], [request, 'input']);
    assert.match(error.message, /^Unknown field "input".*\/openai\/v1\/decisions$/);
  });

  test('state null and a level null are refused natively and taken by System One', async () => {
    assert.deepEqual(await refusalOf('/v1/decisions', ask(noul, { state: null })), {
      message: stateMessage,
      type: request,
      param: 'state',
    });
    const levels = criteria('score', ['a', null, 'c']);
    const { type, param } = await refusalOf('/v1/decisions', levels);
    assert.deepEqual([type, param], [question, 'questions.q.criteria.1']);
    const received = await post('/v1/systemone', levels);
    assert.equal(received.status, 200, received.text);
    const { answers } = jsonOf<{ answers: { q: { legend: unknown } } }>(received);
    assert.deepEqual(answers.q.legend, { 0: 'a', 1: null, 2: 'c' });
  });

  test('nesting of 64 levels passes, 65 are refused; the body is level 1', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const body = (depth: number) =>
      JSON.stringify(ask(noul)).replace('"x","questions"', `${nested(depth - 1)},"questions"`);
    assert.equal((await post('/v1/decisions', body(64))).status, 200);
    assert.equal((await refusalOf('/v1/decisions', body(65))).type, request);
    assert.equal((await refusalOf('/v1/systemone', body(1_000))).type, request);
  });

  test('names in param are raw', async () => {
    for (const name of ['a.b', '"', ' ', '\n', '😀', '__proto__', '1']) {
      const body = `{"model":"${model}","state":"","questions":{${JSON.stringify(name)}:{"type":"score"}}}`;
      assert.equal((await refusalOf('/v1/decisions', body)).param, `questions.${name}.criteria`);
    }
  });
});

suite('order of checks of contract 6.3', () => {
  const manyWords = 'w '.repeat(300_000);
  /** Earlier to later; a body with two of these faults answers with the earlier one. */
  const faults: readonly (readonly [string, (body: Record<string, unknown>) => void, RegExp])[] = [
    ['unknown field', (body) => void (body['extra'] = 1), /^Unknown field "extra"/],
    ['model', (body) => void (body['model'] = 'nope'), /^Invalid model/],
    ['questions', (body) => void (body['questions'] = { q: { type: 'noul' } }), /^Noul question/],
    [
      'images',
      (body) => void (body['state'] = [imagePart('http://a.example/a.png'), manyWords]),
      /^image_url is not/,
    ],
    ['token limit', (body) => void (body['state'] ??= manyWords), /^(?:Input length|Total input)/],
  ];

  for (const [index, [earlier, breakEarlier, message]] of faults.entries()) {
    for (const [later, breakLater] of faults.slice(index + 1)) {
      test(`${earlier} before ${later}`, async () => {
        const { state: _, ...body } = ask(noul) as Record<string, unknown>;
        breakEarlier(body);
        breakLater(body);
        body['state'] ??= 'x';
        for (const path of nativePaths) assert.match((await refusalOf(path, body)).message, message);
      });
    }
  }

  test('JSON and duplicate keys before everything in the body', async () => {
    const bad = JSON.stringify(ask({ type: 'noul' }, { model: 'nope', extra: 1 }));
    assert.equal(
      (await refusalOf('/v1/decisions', bad.slice(0, -1))).message,
      'Request body is not valid JSON',
    );
    const twice = `{"state":1,"state":2,${bad.slice(1)}`;
    assert.equal((await refusalOf('/v1/decisions', twice)).message, 'Duplicate key "state"');
    // Text that is no JSON is no JSON, whatever names it repeats before it breaks.
    assert.equal(
      (await refusalOf('/v1/decisions', '{"a":1,"a":2')).message,
      'Request body is not valid JSON',
    );
  });

  test('top-level fields before any question: state and questions are looked at after the model', async () => {
    assert.match(
      (await refusalOf('/v1/decisions', { model: 'x', state: 1, questions: 1 })).message,
      /^Invalid model/,
    );
    assert.equal((await refusalOf('/v1/decisions', { model, questions: { q: 1 } })).param, 'state');
    assert.equal((await refusalOf('/v1/decisions', {})).param, 'model');
  });

  test('the first failing question in body order answers, also for names such as "10" and "2"', async () => {
    const orders = [
      ['10', '2'],
      ['2', '10'],
      ['b', '1', 'a'],
      ['4294967294', '0'],
      ['z', '__proto__', '3'],
      ['9', '-1', '01'],
    ];
    for (const names of orders) {
      const questions = names
        .map((name) => `${JSON.stringify(name)}:{"type":"score","criteria":[]}`)
        .join(',');
      const body = `{"questions":{"ok":{"type":"noul","instructions":"x"},${questions}},"state":"","model":"${model}"}`;
      for (const path of nativePaths) {
        assert.equal((await refusalOf(path, body)).param, `questions.${names[0]}.criteria`);
      }
    }
    const options = '{"type":"choice","criteria":{"b":null,"10":1,"2":1}}';
    const body = `{"model":"${model}","state":"","questions":{"q":${options}}}`;
    assert.equal((await refusalOf('/v1/decisions', body)).param, 'questions.q.criteria.10');
  });

  test('an empty question name is a failing question like any other: an earlier one answers first', async () => {
    const body = `{"model":"${model}","state":"","questions":{"a":{"type":"score","criteria":[]},"":{"type":"noul","instructions":"x"}}}`;
    assert.equal((await refusalOf('/v1/decisions', body)).param, 'questions.a.criteria');
  });

  test('images in questions and state before the token limit, engine abilities after the image rules', async (t) => {
    const blind = await startServer(t, { env: unlimited, decisions: scriptedEngine({ vision: false }) });
    const message = async (body: unknown) => {
      const response = await blind.post('/v1/decisions', body);
      assert.equal(response.status, 400);
      return ((await response.json()) as { error: ErrorObject }).error;
    };
    const image = imagePart(dataUrl(png(1, 1)));
    assert.match((await message(ask(noul, { state: [imagePart('http://a')] }))).message, /^image_url is not/);
    const refused = await message(ask(noul, { state: [image] }));
    assert.equal(refused.message, 'the configured decision engine does not accept images');
    assert.equal(refused.type, 'invalid_request');
    assert.match((await message(ask(noul, { state: [image, manyWords] }))).message, /does not accept images/);
    assert.match((await message(ask({ type: 'noul' }, { state: [image] }))).message, /^Noul/);
  });
});
