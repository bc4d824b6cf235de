import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { fromListing } from './listing.ts';

const only = (entry: JsonObject) => fromListing({ object: 'list', data: [entry] })?.models[0];

suite('lists of models', () => {
  test('OpenRouter publishes sizes, prices and capabilities', () => {
    const model = only({
      id: 'anthropic/claude-sonnet-4.5',
      created: 1_759_161_676,
      context_length: 1_000_000,
      architecture: {
        modality: 'text+image->text',
        input_modalities: ['text', 'image', 'file'],
        output_modalities: ['text'],
      },
      pricing: {
        prompt: '0.000003',
        completion: '0.000015',
        input_cache_read: '0.0000003',
        input_cache_write: '0.00000375',
      },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000, is_moderated: false },
      supported_parameters: ['max_tokens', 'reasoning', 'structured_outputs', 'tools'],
    });
    assert.deepEqual(model, {
      name: 'anthropic/claude-sonnet-4.5',
      created: 1_759_161_676,
      ownedBy: null,
      contextTokensMax: 200_000,
      outputTokensMax: 64_000,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      images: true,
      documents: true,
      tools: true,
      reasoning: true,
      jsonSchema: true,
    });
  });

  test('a price that varies is none', () => {
    assert.equal(only({ id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } })?.price, null);
  });

  test('sizes are found under the names that servers have for them', () => {
    const entries = [
      { owned_by: 'vllm', max_model_len: 4_096 },
      { owned_by: 'Meta', active: true, context_window: 4_096, max_completion_tokens: 512 },
      { max_context_length: 4_096, capabilities: { completion_chat: true } },
      { owned_by: 'llamacpp', meta: { vocab_type: 2, n_vocab: 151_936, n_ctx_train: 4_096, n_params: 1 } },
      { context_length: 4_096 },
    ];
    for (const entry of entries) assert.equal(only({ id: 'x', ...entry })?.contextTokensMax, 4_096);
    assert.equal(only({ id: 'x', ...entries[1] })?.outputTokensMax, 512);
  });

  test('servers of one’s own are known by their entries', () => {
    const families = {
      vllm: 'vllm',
      sglang: 'sglang',
      llamacpp: 'llama-server',
      library: 'ollama',
      organization_owner: 'lm-studio',
    };
    for (const [owner, family] of Object.entries(families)) {
      assert.equal(fromListing({ data: [{ id: 'x', owned_by: owner }] })?.family, family);
    }
    assert.equal(fromListing({ data: [{ id: 'x', owned_by: 'someone' }] })?.family, null);
  });

  test('names of Gemini lose their folder', () => {
    assert.equal(only({ id: 'models/gemini-3-pro', owned_by: 'google' })?.name, 'gemini-3-pro');
  });

  test('garbage is passed by, and what is no list is none', () => {
    assert.deepEqual(
      fromListing({ data: [null, 7, {}, { id: '' }, { id: 'x'.repeat(300) }, { id: 'ok' }] })?.models.length,
      1,
    );
    assert.deepEqual(
      fromListing([{ id: 'a' }])?.models.map(({ name }) => name),
      ['a'],
    );
    assert.deepEqual(
      fromListing({ models: [{ name: 'a' }] })?.models.map(({ name }) => name),
      ['a'],
    );
    for (const body of [null, 'x', {}, { data: 'x' }]) assert.equal(fromListing(body), null);
  });

  test('no more models are read than can be kept', () => {
    const data = Array.from({ length: 6_000 }, (_, i) => ({ id: `m${i}` }));
    assert.equal(fromListing({ data })?.models.length, 5_000);
  });
});
