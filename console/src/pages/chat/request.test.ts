import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstSettings, toChatRequest } from './request.ts';

const settings = { ...firstSettings, model: 'svc' };

test('a request says no more than what was chosen', () => {
  assert.deepEqual(toChatRequest(settings, [], 'Why?'), {
    model: 'svc',
    messages: [{ role: 'user', content: 'Why?' }],
  });
});

test('every setting has its field', () => {
  const chosen = {
    ...settings,
    model: 'svc-deep-research',
    instructions: ' Be brief. ',
    mode: 'academic',
    rounds: 'pro',
    contextSize: 'high',
    domains: 'a.example, -b.example',
    languages: 'en de',
    recency: 'week',
    effort: 'low',
    related: true,
  };
  assert.deepEqual(toChatRequest(chosen, [], 'Why?'), {
    model: 'svc-deep-research',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why?' },
    ],
    search_mode: 'academic',
    web_search_options: { search_type: 'pro', search_context_size: 'high' },
    search_domain_filter: ['a.example', '-b.example'],
    search_language_filter: ['en', 'de'],
    search_recency_filter: 'week',
    reasoning_effort: 'low',
    return_related_questions: true,
  });
});

test('without a search no filter is sent, and no effort to a model that has none', () => {
  const chosen = { ...settings, searches: false, recency: 'week', domains: 'a.example', effort: 'high' };
  assert.deepEqual(toChatRequest(chosen, [], 'Why?'), {
    model: 'svc',
    messages: [{ role: 'user', content: 'Why?' }],
    disable_search: true,
  });
});

test('what was said before comes along without its reasoning, and questions without an answer do not', () => {
  const before = [
    { question: 'One?', text: '<think>\nHm.\n</think>\n\nFirst.' },
    { question: 'Two?', text: '' },
    { question: 'Three?', text: '<think>\nStopped here' },
  ];
  assert.deepEqual(toChatRequest(settings, before, 'Four?')['messages'], [
    { role: 'user', content: 'One?' },
    { role: 'assistant', content: 'First.' },
    { role: 'user', content: 'Four?' },
  ]);
});
