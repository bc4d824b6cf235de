import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWireEffort, traitsOf } from './traits.ts';

test('names of every generation are read', () => {
  const outputs = {
    'claude-3-haiku-20240307': 4_096,
    'claude-3-5-sonnet-20241022': 8_192,
    'claude-3-7-sonnet-latest': 64_000,
    'claude-opus-4-20250514': 32_000,
    'claude-sonnet-4-20250514': 64_000,
    'claude-opus-4-1-20250805': 32_000,
    'claude-haiku-4-5-20251001': 64_000,
    'anthropic.claude-opus-4-6-v1': 128_000,
    'anthropic/claude-opus-4.8': 128_000,
    'claude-mythos-preview': 128_000,
    'glm-5': null,
  };
  for (const [name, tokens] of Object.entries(outputs))
    assert.equal(traitsOf(name).outputTokensMax, tokens, name);
});

test('what a generation refuses is known by its name', () => {
  const known = (name: string) => {
    const { prefill, sampling, forcedTools, jsonSchema, thinking } = traitsOf(name);
    return [
      prefill,
      sampling,
      forcedTools,
      jsonSchema,
      thinking.adaptive,
      thinking.enabled,
      thinking.disabled,
    ];
  };
  assert.deepEqual(known('claude-3-5-sonnet-20241022'), [true, 'both', true, false, false, false, true]);
  assert.deepEqual(known('claude-sonnet-4-5'), [true, 'one', true, true, false, true, true]);
  assert.deepEqual(known('claude-sonnet-4-6'), [false, 'one', true, true, true, false, true]);
  assert.deepEqual(known('claude-opus-4-7'), [false, 'none', true, true, true, false, true]);
  assert.deepEqual(known('claude-opus-5-5'), [false, 'none', false, true, true, false, false]);
  assert.deepEqual(known('claude-haiku-5-5'), [false, 'none', true, true, true, false, true]);
  assert.deepEqual(known('deepseek-chat'), [true, 'both', true, false, false, true, true]);
});

test('effort is said with the highest word that asks for no more', () => {
  const said = (name: string) =>
    (['minimal', 'low', 'high', 'xhigh', 'max'] as const).map((effort) =>
      toWireEffort(effort, traitsOf(name)),
    );
  assert.deepEqual(said('claude-opus-4-8'), ['low', 'low', 'high', 'xhigh', 'max']);
  assert.deepEqual(said('claude-opus-4-6'), ['low', 'low', 'high', 'high', 'max']);
  assert.deepEqual(said('claude-haiku-4-5'), [null, null, null, null, null]);
});
