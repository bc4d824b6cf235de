import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { emptyRequest, type ModelRequest, type Turn } from './model.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import { countRequestTokens, estimateRequestTokens } from './token-estimate.ts';

const count = (request: Partial<ModelRequest>) => estimateRequestTokens({ ...emptyRequest, ...request });

suite('estimates of tokens', () => {
  test('a request that is counted in slices has as many', async () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', base64: 'AAAA' },
    ] as const;
    const request = { ...emptyRequest, system: ['Be brief.'], turns: [{ role: 'user', parts } as const] };
    const tokens = await countRequestTokens(request, new AbortController().signal);
    assert.equal(tokens, estimateRequestTokens(request));
  });

  test('a text counts about as many as its words', () => {
    const tokens = countTokens('The kea is a large parrot of New Zealand.');
    assert.ok(tokens >= 9 && tokens <= 15, String(tokens));
    assert.equal(countTokens(''), 0);
  });

  test('everything that a model reads counts', () => {
    const turns: Turn[] = [
      { role: 'user', parts: [{ type: 'text', text: 'one two three' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'a', name: 'weather', arguments: '{"city":"Bern"}' }],
      },
      {
        role: 'tool',
        results: [{ callId: 'a', name: 'weather', parts: [{ type: 'text', text: 'sunny' }], isError: false }],
      },
    ];
    const image: Turn = { role: 'user', parts: [{ type: 'image', mediaType: 'image/png', base64: 'AAAA' }] };
    const pdf = {
      type: 'document',
      mediaType: 'application/pdf',
      base64: 'A'.repeat(80_000),
      title: null,
    } as const;
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const tool = { name: 'weather', description: 'Tells it.', parameters: schema, strict: false };
    const more: Partial<ModelRequest>[] = [
      { system: ['Be brief.'] },
      ...turns.map((turn) => ({ turns: [turn] })),
      { turns: [image] },
      { turns: [{ role: 'user', parts: [pdf] }] },
      { tools: [tool] },
      { format: { type: 'json-schema', name: 'n', schema, description: null, strict: true } },
    ];
    for (const request of more) assert.ok(count(request) > 0, JSON.stringify(request).slice(0, 80));
    assert.equal(
      count({ turns }),
      turns.reduce((sum, turn) => sum + count({ turns: [turn] }), 0),
    );
    assert.ok(count({ turns: [image] }) > 500);
    assert.ok(count({ turns: [{ role: 'user', parts: [pdf] }] }) >= 1_000);
  });
});
