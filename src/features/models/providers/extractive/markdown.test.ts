import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBlocks } from './markdown.ts';

const textsOf = (text: string): readonly string[] => toBlocks(text).map((block) => block.text);
const proseOf = (text: string): readonly string[] =>
  toBlocks(text)
    .filter(({ kind }) => kind === 'prose' || kind === 'item')
    .map((block) => block.text);

test('marks of emphasis go, and what stands in code stays as it is', () => {
  const text = 'Give **globs** to the command: `--include "guide/**" __init__` reads them.';
  assert.deepEqual(textsOf(text), ['Give globs to the command: `--include "guide/**" __init__` reads them.']);
});

test('wrapped lines are one paragraph, items of a list are their own', () => {
  const text =
    'A sentence that is\nwrapped. Another\none.\n\n- first item\n  goes on\n- second\n1. third\n\nLast.';
  assert.deepEqual(
    toBlocks(text).map((block) => [block.kind, block.isStep, block.text]),
    [
      ['prose', false, 'A sentence that is wrapped. Another one.'],
      ['item', false, 'first item goes on'],
      ['item', false, 'second'],
      ['item', true, 'third'],
      ['prose', false, 'Last.'],
    ],
  );
});

test('headings, comments and rules say nothing; code and rows are apart from prose', () => {
  const text = [
    '# Title',
    'Before.',
    '<!-- run -->',
    '```sh',
    'curl -s http://127.0.0.1/ -d "x"',
    '```',
    '| a | b |',
    '| - | - |',
    '| c | d |',
    '---',
    'After.',
  ].join('\n');
  assert.deepEqual(proseOf(text), ['Before.', 'After.']);
  const [, code, row] = toBlocks(text);
  assert.deepEqual([code?.language, code?.text], ['sh', 'curl -s http://127.0.0.1/ -d "x"']);
  assert.deepEqual([row?.columns, row?.cells], [['a', 'b'], ['c', 'd']]); // prettier-ignore
});

test('a table whose beginning was cut off has rows without names of columns', () => {
  assert.deepEqual(
    toBlocks('| `a \\| b` | first |\n| c | d |').map(({ columns, cells }) => [columns, cells]),
    [
      [[], ['`a \\| b`', 'first']],
      [[], ['c', 'd']],
    ],
  );
});

test('code whose beginning was cut off is left out', () => {
  const text =
    '  "messages": [{ "role": "user" }]\n}\n  -H "Authorization: x" \\\nconst a = 1;\nA sentence, then.';
  assert.deepEqual(textsOf(text), ['A sentence, then.']);
});

test('a wrapped line that begins with words of code, a quote or a link, or ends with a semicolon, belongs to its sentence', () => {
  const text = [
    'A token is revoked by',
    '`POST /revoke_auth_token` at once;',
    'others stay. More tells',
    '[the page](keys.md), which is called',
    "'keys' there.",
  ].join('\n');
  assert.deepEqual(textsOf(text), [
    "A token is revoked by `POST /revoke_auth_token` at once; others stay. More tells the page, which is called 'keys' there.",
  ]);
});

test('badges, lists of contents, definitions of links and tags are no text', () => {
  const text = [
    '# name',
    '',
    '[![Build][build-image]][build-url] [![npm](https://b.example/x.svg)](https://n.example)',
    '',
    '- [Install](#install)',
    '- [Usage](#usage)',
    '',
    '<div align="center">',
    'It parses <b>options</b>.<br>Nothing else.',
    '</div>',
    '',
    '[build-url]: https://b.example',
  ].join('\n');
  assert.deepEqual(textsOf(text), ['It parses options. Nothing else.']);
});

test('quoted lines, headings that are underlined, and code that is set in have their structure', () => {
  const text = 'Guide\n=====\n\n> [!NOTE]\n> * one\n> * two\n\nRun it:\n\n    npm install x\n\nDone.';
  assert.deepEqual(
    toBlocks(text).map(({ kind, text: said, headings }) => [kind, said, headings.join()]),
    [
      ['item', 'one', 'Guide'],
      ['item', 'two', 'Guide'],
      ['prose', 'Run it:', 'Guide'],
      ['code', 'npm install x', 'Guide'],
      ['prose', 'Done.', 'Guide'],
    ],
  );
});

test('a heading names what stands below it until one of its level', () => {
  const text = '# A\n\n## B\n\nOne.\n\n### C\n\nTwo.\n\n## D\n\nThree.';
  assert.deepEqual(
    toBlocks(text).map(({ headings }) => headings.join(' > ')),
    ['A > B', 'A > B > C', 'A > D'],
  );
});

test('numbers of notes look like no citation, and code keeps them', () => {
  assert.deepEqual(textsOf('It runs in browsers.<sup>\\[2]</sup> See \\[3] and `a\\[3]`.'), [
    'It runs in browsers. See (3) and `a\\[3]`.',
  ]);
  assert.deepEqual(textsOf('The kea[1] is a parrot.[2][13] It lives in the mountains,[4] "up high".[5]'), [
    'The kea is a parrot. It lives in the mountains, "up high".',
  ]);
  assert.deepEqual(textsOf('A number in [0, 1], `m[1]` or [2019]; `see` [the list][1], m[1] and argv[0].'), [
    'A number in `[0, 1]`, `m[1]` or `[2019]`; `see` the list, m`[1]` and argv`[0]`.',
  ]);
});

test('HTML that is set in is no code, and its headings are headings', () => {
  const html =
    '<h2 align="center">Formatter</h2>\n\n<p align="center">\n  <em>\n    JavaScript\n    and JSX\n  </em>\n    <a href="x">\n      Your language?\n    </a>\n</p>\n\n    npx format\n';
  assert.deepEqual(
    toBlocks(html).map(({ kind, text, headings }) => [kind, text, ...headings]),
    [
      ['prose', 'JavaScript and JSX', 'Formatter'],
      ['prose', 'Your language?', 'Formatter'],
      ['code', 'npx format', 'Formatter'],
    ],
  );
});
