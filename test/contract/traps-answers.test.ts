import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NativeAnswer, NativeResponse } from '../support/answers.ts';
import { decisionPaths, nativePaths, openDecisions, surfaceOf, unlimited } from '../support/decisions.ts';
import { evenScore, scriptedEngine } from '../support/engines.ts';
import { ask, model } from '../support/examples.ts';
import { errorOf } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { assertError } from '../support/strict.ts';

/** Contract 18, decisions, 15 to 23: what answers and refusals look like. */

const { answerOf, decide, post } = await openDecisions({ after });

test('trap 15: probabilities sum to 1 within 1e-9, are unrounded and contain every option', async () => {
  for (const n of [2, 3, 7, 10, 100, 255]) {
    const criteria = Object.fromEntries(Array.from({ length: n }, (_, index) => [`option ${index}`, null]));
    const answer = await answerOf({ type: 'choice', criteria });
    assert.ok('choice' in answer);
    const values = Object.values(answer.probabilities);
    assert.equal(values.length, n);
    if (n > 2)
      assert.ok(
        values.some((p) => String(p).length > 10),
        'full precision',
      );
    if (n <= 10) await answerOf({ type: 'score', criteria: Object.keys(criteria) });
  }
});

test('trap 15: an option without any probability is still told', async (t) => {
  const own = await startServer(t, {
    decisions: scriptedEngine({ score: () => Promise.resolve([[1, 0, 0]]) }),
  });
  const response = await own.post(
    '/v1/decisions',
    ask({ type: 'choice', criteria: { a: null, b: null, c: null } }),
  );
  const { answers } = (await response.json()) as NativeResponse;
  assert.deepEqual(answers['q'], {
    type: 'choice',
    choice: 'a',
    confidence: 1,
    probabilities: { a: 1, b: 0, c: 0 },
  });
});

test('trap 16: choice is an argmax and permuted options give the same choice', async (t) => {
  const names = ['beta', 'alpha', '', 'Z', '10', '2', '\u{1F600}', '\ue000', 'alphabet'].filter(
    (name) => name !== '',
  );
  const own = await startServer(t, { env: unlimited, decisions: scriptedEngine({ score: evenScore }) });
  for (let turn = 0; turn < names.length; turn++) {
    const turned = [...names.slice(turn), ...names.slice(0, turn)];
    const criteria = `{${turned.map((name) => `${JSON.stringify(name)}:null`).join(',')}}`;
    const body = JSON.stringify(ask({ type: 'choice', criteria: 0 })).replace(
      '"criteria":0',
      `"criteria":${criteria}`,
    );
    const { answers } = (await (await own.post('/v1/decisions', body)).json()) as NativeResponse;
    assert.ok(answers['q'] && 'choice' in answers['q']);
    assert.equal(answers['q'].choice, '10');
    const choices = turned.filter((name) => name > 'beta').map((value) => ({ value }));
    const openAi = await own.post('/openai/v1/decisions', {
      model,
      input: '',
      questions: [{ type: 'choice', instructions: 'x', choices }],
    });
    // By code point U+E000 comes before U+1F600; UTF-16 would have it the other way round.
    assert.equal(((await openAi.json()) as { answers: { choice: string }[] }).answers[0]?.choice, '\ue000');
  }
});

test('trap 17: score is the weighted mean, legend equals the criteria by string index', async () => {
  const criteria = [
    'none',
    { a: [1, { b: null }], __proto__x: 1 },
    ['x', 'y'],
    '',
    {},
    [],
    'ü😀\u0000',
    '7',
    { 2: 1, 10: 2 },
    'last',
  ];
  const answer = await answerOf({ type: 'score', criteria });
  assert.ok('legend' in answer);
  assert.deepEqual(
    Object.keys(answer.legend),
    criteria.map((_, index) => String(index)),
  );
  assert.deepEqual(Object.values(answer.legend), criteria);
});

test('trap 17: a number that float64 cannot hold is refused or comes back, never as null', async () => {
  for (const level of ['1e999', '[-1e999]', '{"a":[1e400]}']) {
    const body = JSON.stringify(ask({ type: 'score', criteria: ['a', ['HERE']] })).replace('"HERE"', level);
    const received = await post('/v1/decisions', body);
    assert.ok(received.status === 400 || !received.text.includes('null'), received.text);
  }
});

test('trap 18: both confidence formulas on n = 1, 2, 3, 10, 255', async (t) => {
  const script: number[][] = [];
  const own = await startServer(t, {
    env: unlimited,
    decisions: scriptedEngine({ score: () => Promise.resolve([script.at(-1) ?? []]) }),
  });
  const confidence = async (kind: 'choice' | 'score', p: number[]) => {
    script.push(p);
    const names = p.map((_, index) => `n${String(index).padStart(3, '0')}`);
    const criteria = kind === 'score' ? names : Object.fromEntries(names.map((name) => [name, null]));
    const response = await own.post('/v1/decisions', ask({ type: kind, criteria }));
    const { answers } = (await response.json()) as NativeResponse;
    const answer = answers['q'];
    assert.ok(answer && 'confidence' in answer);
    return answer.confidence;
  };
  const near = (actual: number, expected: number) =>
    assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} ${expected}`);
  const even = (n: number) => Array.from({ length: n }, () => 1 / n);
  assert.equal(await confidence('choice', [1]), 1);
  assert.equal(await confidence('score', [1]), 1);
  near(await confidence('choice', [0.9, 0.06, 0.04]), 0.85);
  near(await confidence('score', [0.1, 0.2, 0.7]), 0.4);
  for (const p of [0.5, 0.75, 0.123, 1]) {
    near(await confidence('choice', [p, 1 - p]), Math.abs(2 * p - 1));
    near(await confidence('score', [p, 1 - p]), Math.abs(2 * p - 1));
  }
  for (const n of [2, 3, 10, 255]) near(await confidence('choice', even(n)), 0);
  near(await confidence('choice', [...even(254).map((p) => p / 2), 0.5]), (255 * 0.5 - 1) / 254);
  // Ten even levels: likeliest is level 0, D = 4.5, M = 2.5, so the value is cut at 0.
  near(await confidence('score', even(10)), 0);
  near(await confidence('score', [0, 0, 0, 0, 0, 0, 0, 0, 0.2, 0.8]), 1 - 0.2 / 2.5);
  near(await confidence('score', [0.2, 0.6, 0.2]), 1 - 0.4 / (2 / 3));
  near(await confidence('score', [0.5, 0, 0.5]), 0);
});

test('trap 19: duplicate keys are 400 by name and path, in every spelling', async () => {
  const cases: [string, string, string][] = [
    ['{"a":1,"a":2}', 'a', 'a'],
    ['{"a":1,"\\u0061":2}', 'a', 'a'],
    ['{"\\u0061":1,"a":2}', 'a', 'a'],
    ['{"state":{"x":{"k":1,"k":1}}}', 'k', 'state.x.k'],
    ['{"state":[0,{"k":1,"\\u006B":1}]}', 'k', 'state.1.k'],
    ['{"questions":{"q":{},"q":{}}}', 'q', 'questions.q'],
    [
      '{"questions":{"q":{"criteria":{"__proto__":1,"__proto__":1}}}}',
      '__proto__',
      'questions.q.criteria.__proto__',
    ],
    ['{"\\ud83d\\ude00":1,"😀":2}', '😀', '😀'],
    ['{"a\\/b":1,"a/b":2}', 'a/b', 'a/b'],
    ['{"":1,"":2}', '', ''],
    ['{"a.b":{"c":1,"c":2}}', 'c', 'a.b.c'],
  ];
  for (const path of decisionPaths) {
    for (const [body, name, param] of cases) {
      const received = await post(path, body);
      assertError(received, surfaceOf(path), 400, body);
      const error = errorOf(received);
      assert.deepEqual(
        [error.message, error.param, error.type],
        [`Duplicate key "${name}"`, param, 'invalid_request_error'],
      );
    }
  }
  // Alike is not equal: no normalisation, no case folding; the same name in two objects is fine.
  const fine =
    '{"model":"svc-decider-v1-27b","state":{"\\u00e9":1,"e\\u0301":2,"A":1,"a":{"a":1}},"questions":{"a":{"type":"noul","instructions":"a"}}}';
  assert.equal((await post('/v1/decisions', fine)).status, 200);
});

test('trap 20: names such as __proto__, constructor, 1, 10, 2 come back intact', async () => {
  const names = [
    '__proto__',
    'constructor',
    '10',
    '2',
    '1',
    'toString',
    'hasOwnProperty',
    '"',
    '\n',
    ' ',
    '\u0000',
    '\ud83d\ude00',
    '\u00e9',
    'e\u0301',
    'a.b',
    '\u2028',
    'true',
  ];
  const object = (value: string) => `{${names.map((name) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const question = `{"type":"choice","criteria":${object('null')}}`;
  const body = `{"model":"${model}","state":${object('1')},"questions":${object(question)}}`;
  const { answers, usage } = await decide(body);
  assert.deepEqual(Object.keys(answers).sort(), [...names].sort());
  assert.equal(usage.output_tokens, names.length);
  for (const name of names) {
    assert.ok(Object.hasOwn(answers, name));
    const answer = Object.getOwnPropertyDescriptor(answers, name)?.value as NativeAnswer;
    assert.ok('probabilities' in answer);
    assert.deepEqual(Object.keys(answer.probabilities).sort(), [...names].sort());
  }
  const lone =
    '{"model":"svc-decider-v1-27b","state":"\\ud800","questions":{"\\ud800":{"type":"noul","instructions":"\\udc00"}}}';
  assert.deepEqual(Object.keys((await decide(lone)).answers), ['\ud800']);
  const scores = `{"model":"${model}","state":"","questions":{"q":{"type":"score","criteria":[{"__proto__":{"a":1}},"b"]}}}`;
  assert.ok((await post('/v1/decisions', scores)).text.includes('"legend":{"0":{"__proto__":{"a":1}}'));
});

test('trap 20: a one-letter name in escapes comes back intact after another caller used a backslash', async () => {
  const body = (...names: string[]) =>
    `{"model":"${model}","state":"","questions":{"q":{"type":"choice","criteria":{"yes":null,${names.map((name) => `"${name}":null`).join(',')}}}}}`;
  const named = async (...names: string[]) => {
    const answer = (await decide(body(...names))).answers['q'];
    assert.ok(answer && 'probabilities' in answer);
    return Object.keys(answer.probabilities);
  };
  const two = body('\\\\').replace(
    '"questions":{',
    '"questions":{"p":{"type":"choice","criteria":{"yes":null,"\\\\":null}},',
  );
  for (let i = 0; i < 4; i++) assert.equal((await post('/v1/decisions', two)).status, 200);
  // As Python's json.dumps writes them.
  assert.deepEqual(await named('\\u662f'), ['yes', '\u662f']);
  assert.deepEqual(await named('\\u662f', '\\u5426'), ['yes', '\u662f', '\u5426']);
});

test('trap 21: unknown top-level field 400, unknown question field accepted, unknown noul criteria key 400', async () => {
  const noul = { type: 'noul', instructions: 'x' };
  const extra = await post('/v1/decisions', ask(noul, { extra: 1 }));
  assert.equal(errorOf(extra).message, 'Unknown field "extra"');
  for (const question of [
    noul,
    { type: 'choice', criteria: { a: 'x', b: null } },
    { type: 'score', criteria: ['a', 'b'] },
  ]) {
    const plain = await answerOf(question);
    assert.deepEqual(await answerOf({ ...question, weight: 3, legend: [], __proto__: 1, id: null }), plain);
  }
  for (const criteria of [{ maybe: 'x' }, { true: 'x', False: 'y' }, { true: 'x', '1': 'y' }]) {
    const received = await post('/v1/decisions', ask({ ...noul, criteria }));
    assertError(received, 'decisions', 400, JSON.stringify(criteria));
    assert.equal(errorOf(received).type, 'invalid_request');
    assert.match(String(errorOf(received).param), /^questions\.q\.criteria/);
  }
});

test('trap 22: a noul that says nothing is 400 in the documented words', async () => {
  const empty = [undefined, null, '', ' ', '\n\t\u00a0'];
  const emptyCriteria = [
    undefined,
    null,
    {},
    { true: null },
    { true: ' ', false: '' },
    { false: null, true: null },
  ];
  for (const path of nativePaths) {
    for (const instructions of empty) {
      for (const criteria of emptyCriteria) {
        const received = await post(path, ask({ type: 'noul', instructions, criteria }));
        assertError(received, surfaceOf(path), 400, JSON.stringify({ instructions, criteria }));
        const { message, type, param } = errorOf(received);
        assert.equal(message, 'Noul question must have criteria or instructions');
        assert.equal(type, 'invalid_request');
        assert.equal(param, 'questions.q');
      }
    }
  }
  for (const question of [
    { instructions: 'x' },
    { instructions: {} },
    { instructions: [] },
    { instructions: ' ', criteria: { true: 'x' } },
    { criteria: { false: 'x' } },
    { criteria: { true: null, false: [] } },
    { criteria: { true: {} }, instructions: null },
  ]) {
    const answer = await answerOf({ type: 'noul', ...question });
    assert.deepEqual(Object.keys(answer), ['type', 'noul']);
  }
});

test('trap 23: "" is a state, null is none, except on System One', async () => {
  const question = { type: 'noul', instructions: 'x' };
  for (const state of ['', {}, [], [null], { a: null }, 'x', [[]]]) {
    for (const path of nativePaths) await decide(ask(question, { state }), path);
  }
  for (const state of [null, 1, true, 0.5, undefined]) {
    for (const path of nativePaths) {
      const received = await post(path, ask(question, { state }));
      if (path === '/v1/systemone' && state === null) {
        assert.equal(received.status, 200);
        const empty = await post(path, ask(question, { state: '' }));
        assert.equal(received.text, empty.text, 'null is read as ""');
        continue;
      }
      assertError(received, surfaceOf(path), 400, String(state));
      assert.equal(errorOf(received).message, 'state must be a string, object or array');
      assert.equal(errorOf(received).param, 'state');
    }
  }
});
