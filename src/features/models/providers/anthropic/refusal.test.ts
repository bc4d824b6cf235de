import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { isOfModel, readRefusal } from './refusal.ts';
import { traitsOf } from './traits.ts';

const plain = traitsOf('some-model');
const { thinking } = plain;

function changeOf(message: string, sent: JsonObject = {}, traits = plain) {
  return readRefusal({ type: 'error', error: { type: 'invalid_request_error', message } }, sent, traits);
}

test('each refusal of a setting changes the trait that it names', () => {
  assert.deepEqual(changeOf('This model does not support assistant message prefill.'), { prefill: false });
  const most =
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for some-model';
  assert.deepEqual(changeOf(most), { outputTokensMax: 64_000 });
  const both = '`temperature` and `top_p` cannot both be specified for this model.';
  assert.deepEqual(changeOf(both, { temperature: 1, top_p: 1 }), { sampling: 'one' });
  assert.deepEqual(changeOf('`top_k` is deprecated for this model.', { top_k: 1 }), { sampling: 'none' });
  const forced = 'tool_choice.type: any is not supported for this model';
  assert.deepEqual(changeOf(forced, { tool_choice: { type: 'any' } }), { forcedTools: false });
  const budget = '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"';
  assert.deepEqual(changeOf(budget, { thinking: { type: 'enabled' } }), {
    thinking: { ...thinking, enabled: false, adaptive: true },
  });
  assert.deepEqual(changeOf('thinking: extra inputs are not permitted', { thinking: { type: 'disabled' } }), {
    thinking: { ...thinking, disabled: false },
  });
  const closed = traitsOf('claude-opus-4-8');
  assert.deepEqual(changeOf('output_config.effort: not supported', {}, closed), { efforts: [] });
  assert.deepEqual(changeOf('output_config.format: not supported', {}, closed), { jsonSchema: false });
  assert.deepEqual(changeOf('tools.0.custom.strict: extra inputs are not permitted', {}, closed), {
    jsonSchema: false,
  });
});

test('what only some backends have is left out once one refuses it', () => {
  const closed = traitsOf('claude-opus-4-8');
  const cached = 'messages.0.content.0.cache_control: Extra inputs are not permitted';
  assert.deepEqual(changeOf(cached, {}, closed), { promptCache: false });
  const tools = [{ type: 'bash_20250124', name: 'bash' }];
  const tag = "tools.0: Input tag 'bash_20250124' found using 'type' does not match any of the expected tags";
  assert.deepEqual(changeOf(tag, { tools }, closed), { knownTools: false });
  const fields = { context_management: {} };
  const extra = 'context_management: Extra inputs are not permitted';
  assert.deepEqual(changeOf(extra, fields, closed), { messagesFields: false });
  assert.equal(changeOf(extra, {}, closed), null);
  const beta = 'Unexpected value(s) `new-2027-01-01` for the `anthropic-beta` header';
  assert.deepEqual(changeOf(beta, {}, closed), { messagesFields: false });
});

test('what a request holds is told from what a model takes', () => {
  const isTold = (message: string) => isOfModel({ error: { message } });
  const ofOne = [
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'Unexpected value(s) `new-2027-01-01` for the `anthropic-beta` header',
    'output_config.format.schema: Schema is too complex for compilation.',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length',
  ];
  for (const message of ofOne) assert.equal(isTold(message), false, message);
  const ofAll = [
    'This model does not support assistant message prefill.',
    '`temperature` is deprecated for this model.',
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for some-model',
    'messages.0.content.0.cache_control: Extra inputs are not permitted',
    '`temperature` and `top_p` cannot both be specified for this model.',
  ];
  for (const message of ofAll) assert.equal(isTold(message), true, message);
});

test('a request keeps what fits: the room that its prompt leaves, and its reasoning without thoughts of others', () => {
  const full =
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length';
  assert.deepEqual(changeOf(full), { outputTokensMax: 11_760 });
  const foreign = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const sent = { thinking: { type: 'enabled' } };
  assert.deepEqual(changeOf(foreign, sent), { thoughts: false });
  const without = { ...plain, thoughts: false };
  assert.deepEqual(changeOf(foreign, sent, without), {
    thinking: { ...thinking, enabled: false, adaptive: false },
  });
});

test('a refusal of something else, or of what is known already, changes nothing', () => {
  assert.equal(changeOf('messages.0: all messages must have non-empty content'), null);
  assert.equal(changeOf('`temperature` is deprecated for this model.'), null);
  assert.equal(changeOf('no prefill', {}, { ...plain, prefill: false }), null);
  assert.equal(changeOf('output_config.effort: not supported'), null);
  for (const body of [null, 'prefill', [], {}, { error: 'prefill' }])
    assert.equal(readRefusal(body, {}, plain), null);
});
