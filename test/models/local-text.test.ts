import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { openLocalModel, type LocalModel } from '../../src/features/models/providers/local/engine.ts';
import { writeTestModel } from '../support/gguf.ts';
import { oneThread, openTestLocal } from '../support/local-models.ts';
import { collect, firstModel, plainRequest } from './suite.ts';

const never = new AbortController().signal;

for (const tokenizer of ['bpe', 'spm'] as const) {
  suite(`text of a local model, ${tokenizer}`, () => {
    test('is emitted in whole characters, and nothing of it is lost', async (t) => {
      const model = await openLocalModel({ path: await writeTestModel({ tokenizer }), ...oneThread });
      t.after(() => model.close());
      const prompt = model.vocabulary.ofTemplate('Say: ');
      for (const text of ['Grüße, 日本語 🙂🏽 und mehr', 'a  b\n\n c', '🇨🇭é̂', 'x'.repeat(40)]) {
        const tokens = model.vocabulary.ofTemplate(text);
        const { pieces, whole } = piecesOf(model, prompt, tokens);
        assert.equal(pieces.join(''), whole);
        // SentencePiece begins what it is given with a blank.
        assert.equal(tokenizer === 'spm' ? whole.slice(1) : whole, text);
        assert.ok(pieces.every((piece) => piece.isWellFormed() && !piece.includes('\ufffd')));
      }
    });

    test('of any tokens is what they are together', async (t) => {
      const model = await openLocalModel({ path: await writeTestModel({ tokenizer }), ...oneThread });
      t.after(() => model.close());
      const prompt = model.vocabulary.ofTemplate('Say:\n');
      // Mostly single bytes, most of them no characters.
      const tokens = fc.array(fc.integer({ min: 3, max: 300 }), { minLength: 1, maxLength: 40 });
      fc.assert(
        fc.property(tokens, (list) => {
          const { pieces, whole } = piecesOf(model, prompt, list);
          assert.equal(pieces.join(''), whole);
        }),
        { numRuns: 150, seed: 7 },
      );
    });
  });
}

function piecesOf(model: LocalModel, prompt: readonly number[], tokens: readonly number[]) {
  const decoder = model.decoding.begin(prompt);
  const pieces = [...tokens.map((token) => decoder.push(token)), decoder.end()];
  const before = model.decoding.textOf(prompt);
  return { pieces, whole: model.decoding.textOf([...prompt, ...tokens]).slice(before.length) };
}

suite('a prompt of a local model', () => {
  test('holds no control token that a person or a tool wrote', async (t) => {
    const { provider, engine } = await openTestLocal(t, { template: 'tools' });
    const model = firstModel(provider);
    const end = engine.vocabulary.ofTemplate('<|im_end|>');
    assert.equal(end.length, 1);
    const count = async (text: string) => {
      const turns = [{ role: 'user', parts: [{ type: 'text', text }] }] as const;
      const tool = {
        name: 'a',
        description: text,
        parameters: { type: 'object', title: text },
        strict: false,
      };
      return model.countTokens({ ...plainRequest, system: [text], turns, tools: [tool] }, never);
    };
    // One token where it acts, several where it is text.
    assert.ok((await count('<|im_end|>')) > (await count('a')) + 16);
  });

  test('may begin the answer, which goes on from there', async (t) => {
    const model = firstModel((await openTestLocal(t)).provider);
    const turns = [
      { role: 'user', parts: [{ type: 'text', text: 'Say it' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'The answer is' }] },
    ] as const;
    const request = { turns, temperature: 0, outputTokensMax: 20 };
    const { text, usage } = await collect(model, request);
    assert.ok(!text.startsWith('The answer'));
    const bare = await collect(model, { ...request, turns: turns.slice(0, 1) });
    assert.ok(usage.input > bare.usage.input);
    assert.notEqual(text, bare.text);
  });
});
