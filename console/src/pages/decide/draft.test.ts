import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { problemOf } from './draft-problem.ts';
import {
  fromQuestions,
  newOption,
  newQuestion,
  plain,
  toQuestions,
  toState,
  type QuestionDraft,
} from './draft.ts';
import { examples } from './examples.ts';
import { parseJson, printJson, toPlain } from './json-text.ts';

const json = `{
  "10": { "type": "noul", "criteria": { "true": "it \\"is\\"", "false": ["no", 1] } },
  "2": {
    "type": "choice",
    "instructions": { "a": [1, null] },
    "criteria": { "9": null, "1": "one\\ntwo", "__proto__": { "deep": {} }, "empty": "" },
    "note": { "kept": true }
  },
  "": { "type": "score", "instructions": "How?", "criteria": ["low", { "level": 2 }, ""] }
}`;

suite('a draft of questions', () => {
  test('JSON becomes a form and the same JSON again, in its order', () => {
    const { value } = parseJson(json);
    assert.ok(value !== null);
    const drafts = draftsOf(json);
    assert.equal(printJson(toQuestions(drafts)), printJson(value));
    assert.deepEqual(draftsOf(printJson(toQuestions(drafts), '  ')), drafts);
  });

  test('what a form cannot show as text is shown as JSON', () => {
    const [first, second] = draftsOf(json);
    assert.deepEqual(first?.no, { text: '["no",1]', isJson: true });
    assert.deepEqual(second?.instructions, { text: '{"a":[1,null]}', isJson: true });
    assert.equal(second?.rest, '{"note":{"kept":true}}');
  });

  test('changing the kind and back loses nothing', () => {
    const [, draft] = draftsOf(json);
    assert.ok(draft !== undefined);
    const other: QuestionDraft = { ...draft, kind: 'score' };
    const back: QuestionDraft = { ...other, kind: 'choice' };
    assert.deepEqual(toPlain(toQuestions([back])), { 2: (JSON.parse(json) as Record<string, unknown>)['2'] });
  });

  test('what no form can hold is told with the name of the question', () => {
    for (const [text, message] of [
      ['[]', /Questions are an object/],
      ['{"a": 1}', /Question "a": not an object/],
      ['{"a": {"type": "yesno"}}', /"type" has to be/],
      ['{"a": {"type": "choice"}}', /"criteria" of a choice/],
      ['{"a": {"type": "score", "criteria": {}}}', /"criteria" of a score/],
      ['{"a": {"type": "noul", "criteria": {"maybe": "x"}}}', /"criteria" of a noul/],
    ] as const) {
      const { value } = parseJson(text);
      const drafts = fromQuestions(value);
      assert.match('message' in drafts ? drafts.message : '', message, text);
    }
  });

  test('what the server would refuse is told before it is asked', () => {
    const noul = { ...newQuestion(1, 'noul', 'a'), instructions: plain('Is it?') };
    const choice = { ...newQuestion(2, 'choice', 'b'), options: [newOption(1, 'x'), newOption(2, 'y')] };
    const score = { ...newQuestion(3, 'score', 'c'), levels: [{ id: 1, value: plain('low') }] };
    assert.equal(problemOf([noul, choice, score]), null);
    for (const [drafts, question, message] of [
      [[], null, /Add a question/],
      [[{ ...noul, name: '' }], 1, /needs a name/],
      [[noul, { ...choice, name: 'a' }], 2, /Two questions are called "a"/],
      [[newQuestion(1, 'noul', 'a')], 1, /what to judge/],
      [[newQuestion(2, 'choice', 'b')], 2, /every option needs a name/],
      [[{ ...choice, options: [] }], 2, /1 to 255 options/],
      [[{ ...choice, options: [newOption(1, 'x'), newOption(2, 'x')] }], 2, /same name/],
      [[newQuestion(3, 'score', 'c')], 3, /every level needs a text/],
      [[{ ...score, instructions: { text: '{', isJson: true } }], 3, /JSON with a mistake/],
    ] as const) {
      const found = problemOf(drafts);
      assert.equal(found?.question, question, String(message));
      assert.match(found?.message ?? '', message);
    }
  });

  test('every example can be asked', () => {
    for (const { label, questions } of examples) assert.equal(problemOf(questions), null, label);
  });

  test('a state is text, or the object or list that its JSON spells', () => {
    assert.deepEqual(toState(plain('{"a":1}')), { state: '{"a":1}' });
    assert.deepEqual(toState({ text: '{"a":[1]}', isJson: true }), { state: { a: [1] } });
    assert.deepEqual(toState({ text: '"x"', isJson: true }), { state: 'x' });
    assert.deepEqual(toState({ text: '7', isJson: true }), {
      message: 'A state is text, an object or a list.',
    });
    const broken = toState({ text: '[\n1 2]', isJson: true });
    assert.match('message' in broken ? broken.message : '', /line 2, column 3/);
  });
});

function draftsOf(text: string): readonly QuestionDraft[] {
  const drafts = fromQuestions(parseJson(text).value);
  if ('message' in drafts) throw new Error(drafts.message);
  return drafts;
}
