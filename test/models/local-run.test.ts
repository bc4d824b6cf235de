import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { FunctionTool } from '../../src/features/models/model.ts';
import type { Decoder } from '../../src/features/models/providers/local/decoding.ts';
import { openLocalModel, type LocalModel } from '../../src/features/models/providers/local/engine.ts';
import type { Verdict } from '../../src/features/models/providers/local/generation.ts';
import { openLocal } from '../../src/features/models/providers/local/index.ts';
import { writeTestModel } from '../support/gguf.ts';
import { oneThread } from '../support/local-models.ts';
import { collect, firstModel } from './suite.ts';

const weather: FunctionTool = {
  name: 'weather',
  description: null,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

interface Heard {
  readonly token: number;
  /** Whether the token was drawn under a grammar. */
  readonly bound: boolean;
  readonly verdict: Verdict;
}

/** A real file whose weights would never write this; only the words are scripted, all that reads them is real. */
async function openWriting(
  t: TestContext,
  textOf: (engine: LocalModel) => readonly (readonly number[])[],
  pieceOf?: (token: number) => string,
) {
  const path = await writeTestModel({ template: 'tools' });
  const engine = await openLocalModel({ path, ...oneThread });
  const heard: Heard[] = [];
  const writing: LocalModel = {
    ...engine,
    decoding:
      pieceOf === undefined ? engine.decoding : { ...engine.decoding, begin: () => decoderOf(pieceOf) },
    async generate({ listen, onStart }) {
      onStart(0);
      const listener = listen(0);
      for (const token of textOf(engine).flat()) {
        const bound = listener.grammar() !== undefined;
        const verdict = listener.hear(token);
        heard.push({ token, bound, verdict });
        if (verdict === 'enough') return 'enough';
      }
      return 'end';
    },
  };
  const provider = await openLocal(
    { name: 'home', path },
    { ids: randomIds, open: () => Promise.resolve(writing) },
  );
  t.after(() => provider.close());
  return { model: firstModel(provider), engine, heard };
}

function decoderOf(pieceOf: (token: number) => string): Decoder {
  return { push: pieceOf, isHolding: () => false, end: () => '' };
}

suite('an answer of a local model that thinks and calls', () => {
  test('is emitted in its parts, and the grammar binds only inside the call', async (t) => {
    const words = [
      '<think>\nRain? See.\n</think>\n\nLet me look.\n',
      '<tool_call>',
      '\n{"name": "weather", "arguments": {"city": "Zürich"}}\n</tool_call>',
    ];
    const { model, engine, heard } = await openWriting(t, (file) =>
      words.map((text) => file.vocabulary.ofTemplate(text)),
    );
    const answer = await collect(model, { tools: [weather] });
    assert.equal(answer.reasoning, 'Rain? See.\n');
    assert.equal(answer.text, 'Let me look.');
    assert.deepEqual(
      answer.calls.map(({ name, arguments: text }) => [name, text]),
      [['weather', '{"city": "Zürich"}']],
    );
    assert.equal(answer.reason, 'tool-calls');
    const lengths = words.map((text) => engine.vocabulary.ofTemplate(text).length);
    const before = (lengths[0] ?? 0) + (lengths[1] ?? 0);
    assert.ok(heard.slice(0, before).every(({ bound }) => !bound));
    assert.ok(heard.slice(before).every(({ bound }) => bound));
    const thought = engine.vocabulary.ofTemplate('<think>\nRain? See.\n</think>').length;
    // The token that opens a thought is none of it.
    assert.equal(answer.usage.reasoning, thought - 1);
    assert.equal(answer.usage.output, heard.length);
  });

  test('takes back what a token said behind the beginning of a call', async (t) => {
    // The test's tokenizer has no token that holds the end of the marker and more, so one is given that text.
    const pieces = ['<tool_call', '>\n'];
    const { model, engine, heard } = await openWriting(
      t,
      () => [[40, 41]],
      (token) => pieces[token - 40] ?? '',
    );
    const answer = await collect(model, { tools: [weather] });
    assert.deepEqual([answer.text, answer.calls], ['', []]);
    const kept = engine.vocabulary.ofTemplate('>');
    assert.deepEqual(
      heard.map(({ verdict }) => verdict),
      ['more', kept],
    );
  });

  test('shows no control token that stands in the text', async (t) => {
    const { model } = await openWriting(t, (file) => [file.vocabulary.ofTemplate('One<|im_start|> two')]);
    const { text, usage } = await collect(model);
    assert.equal(text, 'One two');
    assert.ok(usage.output > 2);
  });
});
