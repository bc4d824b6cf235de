import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutComments } from './markdown-comments.ts';

test('comments are taken out wherever they stand', () => {
  assert.equal(withoutComments('a<!-- b -->c\n<!--\nd\n\ne -->\n- f <!-- `g -->'), 'ac\n\n- f ');
  assert.equal(withoutComments('a<!-->b<!--->c<!---->d'), 'abcd');
  assert.equal(withoutComments('One `x`.\n\n<!-- never ends `y`'), 'One `x`.\n\n');
});

test('code shows comments, and what follows it stays', () => {
  const texts = [
    'Write `<!-- more -->` where the summary ends.\n\nThe rest.',
    'A comment begins with `<!--`.\n\nThe rest.',
    'Use ``<!-- ` -->`` here.',
    '```html\n<!-- shown -->\n```\n\nThe rest.',
    '1. Step:\n\n   ~~~~md\n   ```\n   <!-- shown -->\n   ~~~~\n',
    '> ```\n> <!-- shown -->\n> ```',
    '- ```\n  <!-- shown -->\n  ```',
    '```\n<!-- shown, and the fence is never closed -->',
    'It is written <!-- and never ended.\n\nThe rest.',
  ];
  for (const text of texts) assert.equal(withoutComments(text), text);
});

test('marks that open no code hide no comment', () => {
  assert.equal(withoutComments('A ` alone.\n\n<!-- x -->` b'), 'A ` alone.\n\n` b');
  assert.equal(withoutComments('\\`<!-- x -->\\`'), '\\`\\`');
  assert.equal(withoutComments('```` a ``` <!-- x --> b'), '```` a ```  b');
});
