import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { citationsIn, grade, usualRefusal, type GradedAnswer } from './grade.ts';
import { measureAnswers } from './measures.ts';
import { readQuestions } from './questions.ts';

const urls = ['https://x.example/a', 'https://x.example/b', 'https://x.example/c'];

function graded(fields: object, text: string, verified: GradedAnswer['verified'] = null): GradedAnswer {
  const [question] = readQuestions(JSON.stringify({ question: 'Why?', ...fields }), 'one');
  assert.ok(question !== undefined);
  return grade(question, { text, urls, verified }, usualRefusal);
}

test('citations are numbers in prose, not in code or before a link', () => {
  const text = 'One [2][1, 3]. `list[4]` [5](http://x)\n\n```js\na[6]\n```\n\nTwo [2].';
  assert.deepEqual(citationsIn(text), [2, 1, 3]);
});

suite('an answer that says it has none', () => {
  test('is known by how it begins', () => {
    for (const text of [
      'No sentence of the sources answers this question. Closest section: A [1].',
      'I could not find anything about it.',
      'The provided sources do not say who wrote it [1].',
      "The sources don't mention it.",
      'Unfortunately, nothing is known.',
      '',
    ])
      assert.equal(graded({ pages: [] }, text).stated, false, text);
  });

  test('is not one that only denies something', () => {
    for (const text of ['No, it does not block requests [1].', 'The sources of light are not lamps [1].'])
      assert.equal(graded({ pages: ['a'] }, text).stated, true, text);
  });
});

test('measures are shares of what they are about, and null of nothing', () => {
  const right = graded({ pages: ['b'], holds: 'because' }, 'Because [2]. And so [1].', {
    sentences: 2,
    unsupported: 1,
  });
  const wrong = graded({ pages: ['a'], holds: 'because' }, 'So [3].');
  const notFound = graded({ pages: ['z'], holds: 'because' }, 'So [3].');
  const refused = graded({ pages: ['c'], holds: 'because' }, 'I cannot answer that.');
  const nothing = graded({ pages: [] }, 'I do not know.');
  const made = graded({ pages: [] }, 'It is 42 [1].');
  assert.deepEqual(measureAnswers([right, wrong, notFound, refused, nothing, made]), {
    questions: 6,
    hit1: 1 / 4,
    hit5: 3 / 4,
    found: 3 / 4,
    mrr: (1 / 2 + 1 + 0 + 1 / 3) / 4,
    citationPrecision: 1 / 4,
    citationRecall: 1 / 3,
    firstCitationRight: 1 / 4,
    supportedSentences: 1 / 2,
    right: 1 / 3,
    wrong: 1 / 3,
    refusedAnswerable: 1 / 4,
    refusedUnanswerable: 1 / 2,
  });
  const { mrr, right: share, questions } = measureAnswers([]);
  assert.deepEqual([mrr, share, questions], [null, null, 0]);
});
