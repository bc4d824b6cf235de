import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { randomIds } from '../../../../kernel/kit/ids.ts';
import { emptyRequest, type ModelEvent, type Turn } from '../../model.ts';
import { quirksOf } from './quirks.ts';
import { readRefusal, noCompatibility } from './refusal.ts';
import { toRequest } from './request.ts';
import { ResponseReader } from './response.ts';

const format = 'anthropic-claude-v1';
const thought = { type: 'reasoning.text', text: 'Where? In Bern.', signature: 'c2ln', format, index: 0 };
const hidden = { type: 'reasoning.encrypted', data: 'ZGF0YQ==', id: 'rs_1', format, index: 1 };
const called = [
  { index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
];

const open = () =>
  new ResponseReader({
    stop: [],
    thinkTags: false,
    functions: ['weather'],
    estimateInput: () => 1,
    ids: randomIds,
  });

function stream(...deltas: readonly object[]): readonly ModelEvent[] {
  const reader = open();
  const chunks = deltas.map((delta) =>
    JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] }),
  );
  return [...chunks, '[DONE]'].flatMap((data) => [...reader.push([{ event: null, data }])]);
}

const reasoningIn = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join('');

const signatureIn = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-call-start' ? [event.signature] : []))[0];

/** The message of the assistant in a request that follows a call, which was signed with this. */
function sentBack(
  signature: string | undefined,
  family: Parameters<typeof quirksOf>[0],
  id = 'c1',
): JsonObject {
  const call = { type: 'tool-call', id, name: 'weather', arguments: '{}' } as const;
  const turns: Turn[] = [
    { role: 'user', parts: [{ type: 'text', text: 'Weather?' }] },
    { role: 'assistant', parts: [{ ...call, ...(signature !== undefined && { signature }) }] },
    { role: 'tool', results: [{ callId: id, name: 'weather', parts: [], isError: false }] },
  ];
  const body = toRequest('m', { ...emptyRequest, turns }, quirksOf(family), null);
  return (body['messages'] as unknown as JsonObject[])[1] ?? {};
}

suite('reasoning details of OpenRouter', () => {
  const streamed = stream(
    { reasoning: 'Where?', reasoning_details: [{ ...thought, text: 'Where?', signature: null }] },
    { reasoning: ' In', reasoning_details: [{ ...thought, text: ' In', signature: null }] },
    { reasoning: ' Bern.', reasoning_details: [{ ...thought, text: ' Bern.', signature: null }] },
    { content: '', reasoning_details: [{ type: 'reasoning.text', signature: 'c2ln', format, index: 0 }] },
    { tool_calls: called, reasoning_details: [hidden] },
  );

  test('are put together from a stream, and go back with the call as they came', () => {
    assert.equal(reasoningIn(streamed), 'Where? In Bern.');
    const back = sentBack(signatureIn(streamed), 'openrouter');
    assert.deepEqual(back['reasoning_details'], [thought, hidden]);
  });

  test('that sign a call bear its id, whatever that is by then', () => {
    const own = { type: 'reasoning.encrypted', data: 'c2ln', id: 'c1', format: 'google-gemini-v1', index: 0 };
    const events = stream({ reasoning_details: [own, hidden], tool_calls: called });
    const back = sentBack(signatureIn(events), 'openrouter', 'call_8VEdx6d1RkQqRQ3hyymlhgc2');
    assert.deepEqual(back['reasoning_details'], [{ ...own, id: 'call_8VEdx6d1RkQqRQ3hyymlhgc2' }, hidden]);
  });

  test('are read of a whole completion', () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: called,
      reasoning_details: [thought, hidden],
    };
    const events = open().whole({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    assert.equal(reasoningIn(events), thought.text);
    assert.deepEqual(sentBack(signatureIn(events), 'unknown')['reasoning_details'], [thought, hidden]);
  });

  test('lose no piece that is written like the one before it', () => {
    const piece = {
      reasoning: 'ha',
      reasoning_details: [{ type: 'reasoning.summary', summary: 'ha', index: 0 }],
    };
    const events = stream(piece, piece, piece, { tool_calls: called });
    assert.equal(reasoningIn(events), 'hahaha');
    const [summary] = sentBack(signatureIn(events), 'openrouter')[
      'reasoning_details'
    ] as unknown as JsonObject[];
    assert.equal(summary?.['summary'], 'hahaha');
  });

  test('tell the reasoning where nothing else does', () => {
    const events = stream({ reasoning_details: [{ type: 'reasoning.summary', summary: 'Short.' }, 1, null] });
    assert.equal(reasoningIn(events), 'Short.');
  });

  test('go to no service that does not know them, nor does what others signed', () => {
    for (const family of ['openai', 'groq', 'gemini', 'deepseek', 'mistral'] as const)
      assert.ok(!('reasoning_details' in sentBack(signatureIn(streamed), family)), family);
    for (const signature of [
      undefined,
      'c2ln',
      '[{"type":"thinking"}]',
      '{"reasoning_details":1}',
      '{"reasoning_details":',
    ])
      assert.ok(!('reasoning_details' in sentBack(signature, 'openrouter')), String(signature));
  });

  test('are left out once a server refuses them', () => {
    const error = { error: { message: 'messages.1.reasoning_details: Extra inputs are not permitted' } };
    const known = readRefusal(error, {}, noCompatibility);
    assert.equal(known?.quirks.detailsBack, false);
    assert.equal(known && readRefusal(error, {}, known), null);
  });
});
