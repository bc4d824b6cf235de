import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { markdownTitle } from './markdown-title.ts';
import { readMarkdown } from './markdown.ts';

const readme = 'file:///packages/@kea/nest-box/README.md';
const titleOf = (text: string, url = readme): string | undefined =>
  readMarkdown(Buffer.from(text), { url, contentType: 'text/markdown', charset: null, nowMs: 0 }).title;

suite('what a document of Markdown is called', () => {
  for (const [name, text, title] of [
    ['the heading it begins with', '# Nest box\n\n## Usage\n', 'Nest box'],
    ['without badges', '# Nest box [![Build](https://ci.example/b.svg)](https://ci.example)\n', 'Nest box'],
    ['without tags', '# Nest box <sup>2.0</sup>\n', 'Nest box 2.0'],
    ['a heading in HTML', '<div align="center"><h1>Nest <b>box</b></h1></div>\n\n## Usage\n', 'Nest box'],
    ['else its folder, with the scope', '## Table of contents\n\n# Usage\n', '@kea/nest-box'],
    ['its folder where the first heading names a section', '# Features\n\n# Versions\n', '@kea/nest-box'],
    ['the front matter before all', '---\ntitle: Boxes\n---\n# Nest box\n', 'Boxes'],
  ] as const)
    test(name, () => {
      assert.equal(titleOf(text), title);
    });

  test('of another file than a README, its own headings', () => {
    assert.equal(titleOf('# Getting started\n\n## Start\n', 'file:///guide/start.md'), 'Getting started');
    assert.equal(titleOf('## Usage\n\n## Boxes\n', 'file:///guide/start.md'), 'Boxes');
    assert.equal(markdownTitle([], '', 'file:///guide/start.md'), '');
  });

  test('an address that cannot be decoded names nothing', () => {
    assert.equal(titleOf('## Boxes\n', 'http://h.example/%zz/README.md'), 'Boxes');
    assert.equal(titleOf('## Boxes\n', ''), 'Boxes');
  });
});
