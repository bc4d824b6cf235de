import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { newOption, newQuestion, plain } from './draft.ts';
import { examples } from './examples.ts';
import { fromWholeRequest, readQuestions, toFormMode, toJsonMode, toRequest } from './request.ts';

const [example] = examples;
const questions = example?.questions ?? [];
const written = '{ "a": { "type": "noul", "instructions": "Is it?", "extra": 1 } }';

suite('what is asked', () => {
  test('form and JSON ask the same', () => {
    const json = toJsonMode({ questions });
    assert.ok('questionsJson' in json);
    const asked = readQuestions({ questions: [], questionsJson: json.questionsJson });
    assert.deepEqual(asked, readQuestions({ questions, questionsJson: null }));
    const form = toFormMode(json.questionsJson ?? '');
    assert.deepEqual('questions' in form ? form.questions : null, questions);
  });

  test('JSON is sent as it is written, with fields that the form does not know', () => {
    const { questions: asked } = readQuestions({ questions: [], questionsJson: written });
    assert.deepEqual(asked, JSON.parse(written));
  });

  test('a mistake in the JSON is told with its place and keeps the form closed', () => {
    const broken = written.replace(', "extra"', ' "extra"');
    const { problem } = readQuestions({ questions: [], questionsJson: broken });
    assert.match(problem?.message ?? '', /comma or }.*\(line 1, column 51\)/s);
    const form = toFormMode(broken);
    assert.equal('message' in form ? form.message : null, problem?.message);
  });

  test('names that JSON would merge keep the form open', () => {
    const twice = [newQuestion(1, 'noul', 'a'), newQuestion(2, 'noul', 'a')];
    const options = { ...newQuestion(1, 'choice', 'a'), options: [newOption(1, 'x'), newOption(2, 'x')] };
    for (const drafts of [twice, [options]]) {
      const json = toJsonMode({ questions: drafts });
      assert.match('message' in json ? json.message : '', /same name/);
    }
    assert.ok('questionsJson' in toJsonMode({ questions: [{ ...options, kind: 'noul' }] }));
  });

  test('a whole request that was pasted is taken apart; questions of whatever name are not', () => {
    const whole = `{ "model": "m", "state": [1], "questions": ${written} }`;
    const parts = fromWholeRequest(whole);
    assert.deepEqual(parts?.state, { text: '[\n  1\n]', isJson: true });
    assert.deepEqual(JSON.parse(parts?.questionsJson ?? ''), JSON.parse(written));
    for (const text of [
      '',
      '[]',
      written,
      '{ "questions": { "type": "noul", "instructions": "x" }, "state": {} }',
    ])
      assert.equal(fromWholeRequest(text), null, text);
  });

  test('a request carries model, state and questions, or tells what is missing', () => {
    const work = { state: plain('x'), questions, questionsJson: null, engine: 'm' };
    const asked = toRequest(work);
    assert.ok('request' in asked);
    assert.deepEqual(Object.keys(asked.request), ['model', 'state', 'questions']);
    const stateless = toRequest({ ...work, state: { text: '{', isJson: true } });
    assert.match('message' in stateless ? stateless.message : '', /^The state: .*line 1, column 2/s);
    const none = toRequest({ ...work, questions: [] });
    assert.match('message' in none ? none.message : '', /Add a question/);
  });
});
