import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { readRefusal } from './refusal.ts';
import { traitsOf } from './traits.ts';

const plain = traitsOf('some-model');
const { thinking } = plain;

function learned(message: string, sent: JsonObject = {}, traits = plain) {
  return readRefusal({ type: 'error', error: { type: 'invalid_request_error', message } }, sent, traits);
}

test('each refusal of a setting teaches what it says', () => {
  assert.deepEqual(learned('This model does not support assistant message prefill.'), { prefill: false });
  const most =
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for some-model';
  assert.deepEqual(learned(most), { outputTokensMax: 64_000 });
  const both = '`temperature` and `top_p` cannot both be specified for this model.';
  assert.deepEqual(learned(both, { temperature: 1, top_p: 1 }), { sampling: 'one' });
  assert.deepEqual(learned('`top_k` is deprecated for this model.', { top_k: 1 }), { sampling: 'none' });
  const forced = 'tool_choice.type: any is not supported for this model';
  assert.deepEqual(learned(forced, { tool_choice: { type: 'any' } }), { forcedTools: false });
  const budget = '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"';
  assert.deepEqual(learned(budget, { thinking: { type: 'enabled' } }), {
    thinking: { ...thinking, enabled: false, adaptive: true },
  });
  assert.deepEqual(learned('thinking: extra inputs are not permitted', { thinking: { type: 'disabled' } }), {
    thinking: { ...thinking, disabled: false },
  });
  const closed = traitsOf('claude-opus-4-8');
  assert.deepEqual(learned('output_config.effort: not supported', {}, closed), { efforts: [] });
  assert.deepEqual(learned('output_config.format: not supported', {}, closed), { jsonSchema: false });
  assert.deepEqual(learned('tools.0.custom.strict: extra inputs are not permitted', {}, closed), {
    jsonSchema: false,
  });
});

test('a refusal of something else, or of what is known already, teaches nothing', () => {
  assert.equal(learned('messages.0: all messages must have non-empty content'), null);
  assert.equal(learned('`temperature` is deprecated for this model.'), null);
  assert.equal(learned('no prefill', {}, { ...plain, prefill: false }), null);
  assert.equal(learned('output_config.effort: not supported'), null);
  for (const body of [null, 'prefill', [], {}, { error: 'prefill' }])
    assert.equal(readRefusal(body, {}, plain), null);
});
