import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenRules } from './html-hidden.ts';
import { trimSource } from './html-source.ts';

const trimmed = (source: string): string => trimSource(source).html;

test('scripts, styles, templates and comments are taken out, and nothing else', () => {
  assert.equal(
    trimmed('<p>a<script>if (a < b) "<style>"</script>b<style>p > a {}</style >c<!-- <p> -->d</p>'),
    '<p>abcd</p>',
  );
  assert.equal(trimmed('a<SCRIPT src=x></SCRIPT\n>b<template><p>x</p></template>c'), 'abc');
  assert.equal(trimmed('a<!-->b<!--->c<!---->d'), 'abcd');
  assert.equal(
    trimmed('a < b && c <scripted>d</scripted> <styles>'),
    'a < b && c <scripted>d</scripted> <styles>',
  );
  assert.equal(trimmed('a<script>never ends'), 'a');
  assert.equal(trimmed('a<!-- never ends'), 'a');
  assert.equal(trimmed('a<style'), 'a<style');
});

test('structured data and styles are kept aside', () => {
  const source = trimSource(
    '<script type="application/ld+json">{"a":1}</script><style>.x{}</style><script>2</script><style>.y{}</style>',
  );
  assert.deepEqual([source.jsonLd, source.styles], [['{"a":1}'], '.x{}\n.y{}']);
});

test('a source is cut where it nests too deep, has too many tags or is too long', () => {
  assert.equal(trimSource('<div>'.repeat(300)).html.length, 256 * 5);
  assert.equal(trimSource('<div></div>'.repeat(300)).truncated, false);
  assert.equal(trimSource('<p>a<li>b<br>'.repeat(3_000)).truncated, false);
  assert.equal(trimSource('<i>a'.repeat(300)).html.length, 100 * 4);
  assert.equal(trimSource('<p>'.repeat(50_000)).html.length, 40_000 * 3);
  const long = trimSource('x'.repeat(3_000_000));
  assert.deepEqual([long.html.length, long.truncated], [2_000_000, true]);
  assert.equal(trimSource(`<script>${'x'.repeat(3_000_000)}</script>text`).html, 'text');
});

test('rules that hide are read from plain selectors, outside of conditions', () => {
  const { classes, ids } = hiddenRules(
    '/* .no { display:none } */ .a, p.b, #c { color: red; display : none } .d { display: block } @media print { .e { display: none } } .f .g { display: none } .h { opacity: 0.5 } .i{opacity:0}',
  );
  assert.deepEqual([[...classes], [...ids]], [['a', 'b', 'i'], ['c']]);
});
