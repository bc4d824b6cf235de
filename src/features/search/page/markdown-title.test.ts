import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lexer } from 'marked';
import { headedTitle } from './markdown-title.ts';

const titleOf = (text: string): string => headedTitle(new Lexer().lex(text)).replaceAll(/\s+/g, ' ').trim();

const titled: readonly (readonly [title: string, text: string])[] = [
  ['qs', '# qs <sup>[![Version Badge](badge.svg)](npm)</sup>\n\n## Usage'],
  ['dotenv', '# dotenv [![version](badge.svg)](npm)'],
  ['Anthropic SDK', '# <img src="logo.svg" alt="" width="32"> Anthropic SDK\n\nA library.'],
  [
    'fast-check',
    '<h1>\n  <img src="logo.svg" alt="fast-check logo" />\n</h1>\n\n## Getting started\n\n## Usage',
  ],
  ['Rollup', '<p align="center"><img src="logo.svg"></p>\n<h1 align="center">Rollup</h1>\n\n## Overview'],
  ['AVA', '# <img src="header.png" alt="AVA logo">\n\n## Why'],
  ['Encodings', '## Encodings\n\nConverts them.\n\n## Features\n\n- fast'],
  ['Notes', 'Written in May.\n\n## Notes\n\nText.\n\n### More'],
];

test('a document is called by its heading, without badges, tags and marks', () => {
  for (const [title, text] of titled) assert.equal(titleOf(text), title, text);
});

test('headings that part a text without a title are none', () => {
  const untitled = [
    '',
    'Only text.',
    '<p align="center"><img src="logo.svg" alt="Got"></p>\n\n## Install\n\n## Usage',
    '[![Build](badge.svg)](ci)\n\n## Features\n\n## Install\n\n# License',
    '# <img src="header.png">\n\n## Why',
  ];
  for (const text of untitled) assert.equal(titleOf(text), '', text);
});
