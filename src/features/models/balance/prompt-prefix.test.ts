import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyRequest, type ModelRequest, type Turn } from '../model.ts';
import { hashPrefix } from './prompt-prefix.ts';

const user = (text: string): Turn => ({ role: 'user', parts: [{ type: 'text', text }] });
const assistant = (text: string): Turn => ({ role: 'assistant', parts: [{ type: 'text', text }] });
const request = (system: readonly string[], ...turns: readonly Turn[]): ModelRequest => ({
  ...emptyRequest,
  system,
  turns,
});

test('the hash of a conversation stays what it was while it grows', () => {
  const first = hashPrefix(request(['be short'], user('hello')));
  assert.equal(hashPrefix(request(['be short'], user('hello'), assistant('hi'), user('and now?'))), first);
});

test('the hash differs with instructions, tools, and what is said first, wherever one text ends', () => {
  const tool = { name: 'look', description: null, parameters: {}, strict: false };
  const image = { type: 'image', mediaType: 'image/png', base64: 'AAAA' } as const;
  const prompts = [
    request([], user('hello')),
    request(['hello']),
    request(['hel', 'lo']),
    request(['be short'], user('hello')),
    request(['be short'], user('hello!')),
    request(['be short'], user('hello'), user('hello')),
    { ...request(['be short'], user('hello')), tools: [tool] },
    request(['be short'], { role: 'user', parts: [image] }),
    request(['be short'], { role: 'user', parts: [{ ...image, base64: 'AAAB' }] }),
  ];
  assert.equal(new Set(prompts.map(hashPrefix)).size, prompts.length);
});

test('what stands behind 4,096 characters of a text is not read', () => {
  const long = 'x'.repeat(4_096);
  assert.equal(hashPrefix(request([`${long}a`])), hashPrefix(request([`${long}b`])));
});
