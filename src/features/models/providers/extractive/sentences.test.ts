import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSentences, toParagraphs } from './sentences.ts';

test('marks of emphasis go, and what stands in code stays as it is', () => {
  const text = 'Give **globs** to the command: `--include "guide/**" __init__` reads them.';
  const [sentence] = toSentences([{ id: 1, title: 'Globs', url: 'https://example.com/', text }]);
  assert.equal(sentence?.text, 'Give globs to the command: `--include "guide/**" __init__` reads them.');
});

test('wrapped lines are one paragraph, items of a list are their own', () => {
  const text =
    'A sentence that is\nwrapped. Another\none.\n\n- first item\n  goes on\n- second\n1. third\n\nLast.';
  assert.deepEqual(toParagraphs(text), [
    'A sentence that is wrapped. Another one.',
    '- first item goes on',
    '- second',
    '1. third',
    'Last.',
  ]);
});

test('headings, tables, comments and code say nothing', () => {
  const text = [
    '# Title',
    'Before.',
    '<!-- run -->',
    '```sh',
    'curl -s http://127.0.0.1/ -d "x"',
    '```',
    '| a | b |',
    '| - | - |',
    '---',
    'After.',
  ].join('\n');
  assert.deepEqual(toParagraphs(text), ['Before.', 'After.']);
});

test('code whose beginning was cut off is left out as well', () => {
  const text =
    '  "messages": [{ "role": "user" }]\n}\n  -H "Authorization: x" \\\nconst a = 1;\nA sentence, then.';
  assert.deepEqual(toParagraphs(text), ['A sentence, then.']);
});

test('a wrapped line that begins with words of code or a link, or ends with a semicolon, belongs to its sentence', () => {
  const text = [
    'A token is revoked by',
    '`POST /revoke_auth_token` at once;',
    'others stay. More tells',
    '[the page](keys.md).',
  ].join('\n');
  assert.deepEqual(toParagraphs(text), [
    'A token is revoked by `POST /revoke_auth_token` at once; others stay. More tells [the page](keys.md).',
  ]);
});
