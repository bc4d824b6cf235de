import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatEvent } from '../../parts/answers/chat-wire.ts';
import { addEvent, createTurn, endTurn } from './turn.ts';

const source = { title: 'Kea', url: 'https://kea.example/', date: null, last_updated: null, snippet: '' };
const step = { thought: 'Look.', type: 'web_search' };
const event = (object: string, choice: object, more: object = {}): ChatEvent => ({
  object,
  choices: [{ finish_reason: null, ...choice }],
  ...more,
});
const events = [
  event('chat.reasoning', { delta: { reasoning_steps: [step] } }),
  event('chat.reasoning.done', { delta: {} }, { search_results: [source] }),
  event('chat.completion.chunk', { delta: { content: 'The kea' } }),
  event('chat.completion.chunk', { delta: { content: ' flies [1].' } }),
];
const done = event(
  'chat.completion.done',
  { finish_reason: 'length', message: { content: 'The kea flies [1].', reasoning_steps: [step] } },
  { search_results: [source], related_questions: ['Where?'], usage: { prompt_tokens: 1 } },
);
const begun = createTurn(1, 'What?', {});

test('a turn grows with its stream and ends as the last event says', () => {
  const growing = events.reduce(addEvent, begun);
  assert.equal(growing.status, 'answering');
  assert.equal(growing.text, 'The kea flies [1].');
  assert.deepEqual(growing.steps, [step]);
  assert.deepEqual(growing.sources, [source]);
  const ended = addEvent(growing, done);
  assert.equal(ended.status, 'complete');
  assert.equal(ended.isCut, true);
  assert.deepEqual(ended.related, ['Where?']);
  assert.deepEqual(ended.steps, [step]);
});

test('a turn that is stopped keeps what came', () => {
  const stopped = endTurn(events.reduce(addEvent, begun), new Error('aborted'), true);
  assert.equal(stopped.status, 'stopped');
  assert.equal(stopped.text, 'The kea flies [1].');
  assert.equal(stopped.failure, null);
});

test('a stream without its last event has failed, and a turn that ended stays as it is', () => {
  const broken = endTurn(events.reduce(addEvent, begun), null, false);
  assert.equal(broken.status, 'failed');
  assert.match(String(broken.failure), /broke off/);
  const ended = addEvent(begun, done);
  assert.equal(endTurn(ended, null, true), ended);
});
