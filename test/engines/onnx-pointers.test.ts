import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { choiceOf, isNear, meanOf, never, noulOf, scoreOf, softmax, stateOf } from '../support/asked.ts';
import { decidersOf, idsOf, valueOf, writeDecider } from '../support/onnx-deciders.ts';

const open = decidersOf('pointers');

/** What the graph of the tests gives at the end of each option: all that stands before it counts. */
function logitsOf(row: string): readonly number[] {
  const ids = idsOf(row);
  const [end] = idsOf('<|end|>');
  let sum = 0;
  return ids.flatMap((id, place) => {
    sum += valueOf(id) * place;
    return id === end ? [sum] : [];
  });
}

const rowOf = (state: string, question: string, options: readonly string[]) =>
  `<|state|> ${state} <|question|> ${question} ${options.map((one) => `<|start|> ${one} <|end|>`).join(' ')} <|decide|>`;

suite('the adapter pointers', () => {
  test('asks with the rows of its authors and divides by the temperature of the model', async () => {
    const engine = await open({ kev: { temperature: 2 } });
    const [choice, noul, score] = await engine.score(
      stateOf('the bird lives'),
      [
        choiceOf('where is it', { parrot: '', bird: 'my card' }),
        noulOf('is it a bird', 'it lives', ''),
        scoreOf('level', ['no', 'yes']),
      ],
      never,
    );
    const options = ['bird : my card', 'parrot'];
    const ask = (order: readonly string[]) =>
      softmax(logitsOf(rowOf('the bird lives', 'where is it', order)), 2);
    isNear(choice, meanOf(ask(options), ask(options.toReversed()).toReversed()).toReversed());
    const noulRow = rowOf('the bird lives', 'is it a bird', ['no', 'yes : it lives']);
    isNear(noul, softmax(logitsOf(noulRow), 2).toReversed());
    isNear(score, softmax(logitsOf(rowOf('the bird lives', 'level', ['no', 'yes'])), 2));
  });

  test('what looks like a delimiter in a text stays text', async () => {
    const engine = await open();
    const [answer] = await engine.score(stateOf('the <|end|> bird'), [noulOf('a', '', '')], never);
    const broken = 'the < | e ##n ##d | > bird';
    isNear(answer, softmax(logitsOf(rowOf(broken, 'a', ['no', 'yes']))).toReversed());
  });

  test('a tokenizer without one of the delimiters is refused, and says which', async (t) => {
    const delimiters = { decide: '<|elsewhere|>' };
    const path = await writeDecider(t, { kind: 'pointers', kev: { delimiters } });
    assert.match(
      (await openOnnxEngine({ path })).problem ?? '',
      /tokenizer.json has no token <\|elsewhere\|>$/,
    );
  });
});
