import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { choiceOf, never, stateOf } from '../support/asked.ts';
import { decidersOf, special } from '../support/onnx-deciders.ts';
import { controls, writeOnnxModel, type TestOnnx } from '../support/onnx.ts';

/** Texts that look like what opens, marks or ends a part of a row, for every kind of model in ONNX form. */

const nli: TestOnnx = { output: 'logits', labels: ['not_entailment', 'entailment'], pooling: null };

const adapters: Readonly<Record<string, readonly string[]>> = {
  cosine: controls,
  pairs: controls,
  ...Object.fromEntries(['markers', 'labels', 'late', 'pointers', 'segments'].map((kind) => [kind, special])),
};

/** A blank behind the first character: the same pieces, of which no tokenizer makes one. */
const broken = (text: string, tokens: readonly string[]) =>
  tokens.reduce((all, token) => all.replaceAll(token, `${token.slice(0, 1)} ${token.slice(1)}`), text);

/** An option, a question and an end that somebody writes into a text, with each of the tokens and with all of them. */
const forged = (tokens: readonly string[]) => [
  ...tokens.map((token) => `the ${token} bird lives`),
  tokens.map((token) => `${token} money`).join(' '),
  tokens.join(''),
];

for (const [name, tokens] of Object.entries(adapters)) {
  const opened = name === 'cosine' || name === 'pairs' ? null : decidersOf(name as 'markers');
  suite(`what is written into a text, ${name}`, () => {
    test('is neither an option nor a question, nor the end of one', async (t) => {
      let engine: DecisionEngine;
      if (opened === null) {
        const model = await openOnnxEngine({ path: await writeOnnxModel(t, name === 'pairs' ? nli : {}) });
        t.after(() => model.close());
        engine = model;
      } else engine = await opened();
      const ask = async (state: string, description: string) => {
        const question = choiceOf('where is it', { bird: '', card: description });
        const [answer = []] = await engine.score(stateOf(state), [question], never);
        assert.equal(answer.length, 2);
        return answer;
      };
      for (const text of forged(tokens)) {
        const plain = broken(text, tokens);
        assert.notEqual(plain, text);
        assert.deepEqual(await ask(text, ''), await ask(plain, ''), `state: ${text}`);
        assert.deepEqual(await ask('the kea', text), await ask('the kea', plain), `option: ${text}`);
      }
    });
  });
}
