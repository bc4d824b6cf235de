import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { choiceOf, isNear, meanOf, never, noulOf, scoreOf, softmax, stateOf } from '../support/asked.ts';
import { decidersOf, logitsBehind, writeDecider } from '../support/onnx-deciders.ts';

const open = decidersOf('labels');
const logitsOf = (row: string) => logitsBehind('<<LABEL>>', row);

const both = (row: (options: readonly string[]) => string, options: readonly string[]) =>
  meanOf(softmax(logitsOf(row(options))), softmax(logitsOf(row(options.toReversed()))).toReversed());

const labelled = (options: readonly string[]) => options.map((option) => `<<LABEL>> ${option}`).join(' ');

suite('the adapter labels', () => {
  test('asks with the rows of its authors: labels, their end, the question and the state', async () => {
    const engine = await open();
    const [choice, noul, score] = await engine.score(
      stateOf('the bird lives'),
      [
        choiceOf('where is it', { bird: '', card: 'my money', parrot: '' }),
        noulOf('is it a bird', '', 'no bird'),
        scoreOf('', ['no', '']),
      ],
      never,
    );
    isNear(
      choice,
      both(
        (options) => `[CLS] ${labelled(options)} <<SEP>> where is it the bird lives [SEP]`,
        ['bird', 'card : my money', 'parrot'],
      ),
    );
    const asked = '[CLS] <<LABEL>> no : no bird <<LABEL>> yes <<SEP>> is it a bird the bird lives [SEP]';
    isNear(noul, softmax(logitsOf(asked)).toReversed());
    isNear(
      score,
      softmax(logitsOf('[CLS] <<LABEL>> no <<LABEL>> level 2 of 2 <<SEP>> the bird lives [SEP]')),
    );
  });

  test('puts the labels behind the state where the model was trained so', async () => {
    const engine = await open({ settings: { prompt_first: false } });
    const [choice] = await engine.score(stateOf('the kea'), [choiceOf('where', { a: '', no: '' })], never);
    isNear(
      choice,
      both((options) => `[CLS] the kea ${labelled(options)} <<SEP>> where [SEP]`, ['a', 'no']),
    );
  });

  test('asks no more labels at once than the graph has outputs, in any order alike', async () => {
    const engine = await open({ settings: { max_num_classes: 2 } });
    const names = ['bird', 'card', 'kea', 'money', 'parrot'];
    const ask = async (order: readonly string[]) => {
      const question = choiceOf('where', Object.fromEntries(order.map((name) => [name, ''])));
      return (await engine.score(stateOf('the kea lives'), [question], never))[0] ?? [];
    };
    const answer = await ask(names);
    assert.deepEqual((await ask(names.toReversed())).toReversed(), answer);
    // Two of a group relate to each other as they do alone.
    for (const [first, pair] of [
      [1, ['card', 'kea']],
      [3, ['money', 'parrot']],
    ] as const) {
      const [a = 0, b = 0] = await ask(pair);
      const [c = 0, d = 0] = answer.slice(first);
      assert.ok(Math.abs(a / b - c / d) < 1e-6, `${a / b} ${c / d}`);
    }
  });

  test('a model without what it needs says what is missing', async (t) => {
    const cases = [
      [{ prompt_first: undefined }, /prompt_first is missing$/],
      [
        { architecture_type: 'bi-encoder' },
        /config.json has the architecture "bi-encoder"; known is "uni-encoder"$/,
      ],
    ] as const;
    for (const [settings, problem] of cases) {
      const engine = await openOnnxEngine({ path: await writeDecider(t, { kind: 'labels', settings }) });
      assert.match(engine.problem ?? '', problem);
    }
  });
});
