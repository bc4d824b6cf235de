import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimed, toCounted, toThing } from './thing.ts';

test('the thing that a question asks for is the noun before its verb', () => {
  const things: Readonly<Record<string, string | null>> = {
    'Which port does it listen on by default?': 'port',
    'Which Redis database is used?': 'databas',
    'Which mask gives the month?': 'mask',
    'Which version of minimist fixes the bug?': 'version',
    'What is the timeout of a lookup?': 'timeout',
    'What is the maximum length of a cookie?': 'length',
    'what status code does it send?': 'cod',
    // Nouns that only join, or that code is written without.
    'What is the difference between a and b?': null,
    'Which option must be set?': null,
    'Which options are there?': null,
    // No noun is told from the verb.
    'What happens when it fails?': null,
    'What does it return?': null,
    'How do I do it?': null,
  };
  for (const [text, key] of Object.entries(things)) assert.equal(toThing(text)?.stem ?? null, key, text);
});

test('some things are known by their values', () => {
  assert.ok(toThing('Which status does it give?')?.sign?.test('Send a 403 for it.'));
  assert.ok(toThing('In which unit is it?')?.sign?.test('It is told in seconds.'));
  assert.ok(!(toThing('Which port is it?')?.sign?.test('The environment is read.') ?? true));
});

test('what is counted is the noun behind "how many", whatever follows it', () => {
  const counted: Readonly<Record<string, string | null>> = {
    'How many requests a minute does it allow?': 'request',
    'How many mime types are in it?': 'typ',
    'How many does it have?': null,
    'How much does it cost?': null,
    'How many times is it called?': null,
    'How many bytes does it read?': null,
  };
  for (const [text, key] of Object.entries(counted)) assert.equal(toCounted(text), key, text);
});

test('a unit of time is told by its name, also inside of others', () => {
  for (const text of ['after 10 minutes', '`retention_days`, 7 by default', 'within 15s'])
    assert.ok(isTimed(text), text);
  assert.ok(!isTimed('the first time it is called'));
  assert.ok(!isTimed('How many bits of it are used'));
});
