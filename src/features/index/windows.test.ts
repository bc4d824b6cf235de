import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { passageWindows } from './windows.ts';

const passage = (text: string, heading = '') => ({ title: 'Birds', heading, text });

suite('windows of a passage', () => {
  test('a short one is one window behind title and headings, each name once', () => {
    assert.deepEqual(passageWindows(passage('The heron waits in the reeds until the fish come.'), 500), [
      'Birds\nThe heron waits in the reeds until the fish come.',
    ]);
    const [window] = passageWindows(passage('The heron waits.', 'Birds > Herons > Food'), 500);
    assert.equal(window, 'Birds. Herons. Food\nThe heron waits.');
  });

  test('markup, addresses and code are left out where there is prose enough', () => {
    const text = [
      '## Herons',
      '[![build](https://ci.example/badge.svg)](https://ci.example)',
      'The **heron** is [a bird](https://birds.example/heron "Heron") of <b>rivers</b> and lakes, see https://a.example/b.',
      '```js',
      'const heron = 1;',
      '```',
      '[1]: https://birds.example',
    ].join('\n');
    assert.deepEqual(passageWindows(passage(text), 500), [
      'Birds\nHerons\nThe heron is a bird of rivers and lakes, see',
    ]);
  });

  test('code is read where there is nothing else', () => {
    assert.deepEqual(passageWindows(passage('```js\nconst heron = catchFish();\n```'), 500), [
      'Birds\nconst heron = catchFish();',
    ]);
  });

  test('a long one is cut at words into windows of about equal length that hold all of it', () => {
    const words = Array.from({ length: 300 }, (_, n) => `word${n}`);
    const windows = passageWindows(passage(words.join(' ')), 500);
    const bodies = windows.map((window) => window.slice('Birds\n'.length));
    assert.ok(windows.every((window) => window.startsWith('Birds\n') && window.length <= 530));
    assert.equal(bodies.join(' '), words.join(' '));
    const lengths = bodies.map(({ length }) => length);
    assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 30, lengths.join(' '));
  });

  test('a passage without any words is a window as well', () => {
    assert.deepEqual(passageWindows(passage('***\n\n---'), 500), ['Birds\n']);
    assert.deepEqual(passageWindows({ title: '', heading: '', text: '' }, 500), ['']);
  });
});
