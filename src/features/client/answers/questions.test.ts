import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isPage, readQuestions } from './questions.ts';

const line = (fields: object): string => JSON.stringify({ question: 'Why?', ...fields });

suite('a file of questions', () => {
  test('has texts or an expression that a right answer holds, wherever its lines are wrapped', () => {
    const [texts, pattern, none] = readQuestions(
      [
        line({ holds: ['Retry-After', 'one minute'], pages: ['guide/limits'] }),
        '',
        line({ matches: String.raw`\b\d+ s\b` }),
        line({ pages: [] }),
      ].join('\r\n'),
      'mine.jsonl',
    );
    assert.equal(texts?.isRight?.('It waits ONE\n minute.'), true);
    assert.equal(texts.isRight('It waits.'), false);
    assert.equal(pattern?.isRight?.('after\n20 s.'), true);
    assert.deepEqual([pattern.pages, none?.pages, none?.isRight], [null, [], null]);
  });

  test('is refused with the line that is wrong', () => {
    const wrong: readonly (readonly [line: string, told: string])[] = [
      ['{"question": ', 'not a JSON object'],
      ['[1]', 'not a JSON object'],
      [line({ question: ' ', pages: [] }), '"question" has to be a text'],
      [line({}), 'it says nothing of a right answer'],
      [line({ pages: 'guide' }), '"pages" has to be a list'],
      [line({ holds: [] }), '"holds" has to be a text or a list of texts'],
      [line({ matches: '(' }), '"matches" is not a regular expression'],
      [line({ matches: 'a', holds: 'a' }), 'exclude each other'],
      [line({ pages: [], holds: 'a' }), 'no page answers it'],
      [line({ page: 'guide' }), '"page" is not known; there are question, pages, holds, matches'],
    ];
    for (const [text, told] of wrong)
      assert.throws(
        () => readQuestions(`${line({ pages: [] })}\n${text}`, 'mine.jsonl'),
        (error: Error) => error.message.startsWith('mine.jsonl:2: ') && error.message.includes(told),
        text,
      );
    assert.throws(() => readQuestions('\n', 'mine.jsonl'), /mine\.jsonl: no question in it/);
  });
});

test('a page is known by whole parts of the end of its address', () => {
  const url = 'https://x.example/docs/Guide/keys/?a=b#new';
  assert.ok(
    ['guide/keys', '/docs/guide/keys', 'https://x.example/docs/guide/keys'].every((page) =>
      isPage(url, page),
    ),
  );
  assert.ok(!['ide/keys', 'guide', 'guide/key', 'my/docs/guide/keys'].some((page) => isPage(url, page)));
});
