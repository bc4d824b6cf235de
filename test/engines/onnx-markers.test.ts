import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { choiceOf, isNear, meanOf, never, noulOf, scoreOf, softmax, stateOf } from '../support/asked.ts';
import { decidersOf, logitsBehind, writeDecider } from '../support/onnx-deciders.ts';

const open = decidersOf('markers');
const logitsOf = (row: string, kind: number) => logitsBehind('[MASK]', row, kind);

suite('the adapter markers', () => {
  test('asks with the rows of its authors: a choice in both orders of its names, levels and nouls in one', async () => {
    const engine = await open();
    const [choice, noul, plain, score] = await engine.score(
      stateOf('the bird lives'),
      [
        choiceOf('where is it', { parrot: '', card: 'my money', bird: '' }),
        noulOf('is it a bird', 'it lives', 'no bird'),
        noulOf('', '', ''),
        scoreOf('how', ['no', 'yes']),
      ],
      never,
    );
    const forwards = logitsOf(
      '[CLS] choice question : where is it [SEP] [MASK] bird [MASK] card : my money [MASK] parrot [SEP] the bird lives [SEP]',
      0,
    );
    const backwards = logitsOf(
      '[CLS] choice question : where is it [SEP] [MASK] parrot [MASK] card : my money [MASK] bird [SEP] the bird lives [SEP]',
      0,
    );
    isNear(choice, meanOf(softmax(forwards).toReversed(), softmax(backwards)));
    const asked = '[CLS] noul question : is it a bird [SEP] [MASK] false : no bird [MASK] true : it lives';
    isNear(noul, softmax(logitsOf(`${asked} [SEP] the bird lives [SEP]`, 2)).toReversed());
    const unsaid =
      '[MASK] false : no , the statement does not h ##o ##l ##d [MASK] true : yes , the statement holds [SEP]';
    isNear(
      plain,
      softmax(logitsOf(`[CLS] noul question : [SEP] ${unsaid} the bird lives [SEP]`, 2)).toReversed(),
    );
    const levels = '[CLS] score question : h ##o ##w [SEP] [MASK] level 0 : no [MASK] level 1 : yes';
    isNear(score, softmax(logitsOf(`${levels} [SEP] the bird lives [SEP]`, 1)));
  });

  test('divides by the temperature of the kind and the number of options, within the bounds of its authors', async () => {
    const engine = await open({
      settings: { temperature: [2, 1, 0.01], temperature_by_options: { 'choice:3-5': 3 } },
    });
    const [two, three, noul] = await engine.score(
      stateOf('the bird'),
      [
        choiceOf('where', { bird: '', card: '' }),
        choiceOf('where', { bird: '', card: '', money: '' }),
        noulOf('where', 'a', 'the'),
      ],
      never,
    );
    const ask = (options: readonly string[]) =>
      logitsOf(
        `[CLS] choice question : where [SEP] ${options.map((name) => `[MASK] ${name}`).join(' ')} [SEP] the bird [SEP]`,
        0,
      );
    const both = (options: readonly string[], temperature: number) =>
      meanOf(
        softmax(ask(options), temperature),
        softmax(ask(options.toReversed()), temperature).toReversed(),
      );
    isNear(two, both(['bird', 'card'], 2));
    isNear(three, both(['bird', 'card', 'money'], 3));
    const row = '[CLS] noul question : where [SEP] [MASK] false : the [MASK] true : a [SEP] the bird [SEP]';
    isNear(noul, softmax(logitsOf(row, 2), 0.5).toReversed());
  });

  test('an answer does not depend on the order of options, on other questions or on what is asked beside it', async () => {
    const engine = await open();
    const names = ['bird', 'card', 'kea', 'money'];
    const asChoice = (order: readonly string[]) =>
      choiceOf('where', Object.fromEntries(order.map((name) => [name, ''])));
    const state = stateOf('the kea lives in the mountains');
    const [alone = []] = await engine.score(state, [asChoice(names)], never);
    const [, beside = []] = await engine.score(
      stateOf(state.text),
      [noulOf('a bird', '', ''), asChoice(names.toReversed()), scoreOf('how', ['no', 'yes'])],
      never,
      'b',
    );
    assert.deepEqual(beside.toReversed(), alone);
  });

  test('more than twenty options are asked in groups and the winners of the groups again', async () => {
    const engine = await open();
    const names = Array.from('abcdefghijklmnopqrstuvwxy');
    const asChoice = (order: readonly string[]) =>
      choiceOf('where', Object.fromEntries(order.map((name) => [name, ''])));
    const state = stateOf('the kea');
    const [answer = []] = await engine.score(state, [asChoice(names)], never);
    const [turned = []] = await engine.score(state, [asChoice(names.toReversed())], never);
    assert.deepEqual(turned.toReversed(), answer);
    const parts = [names.slice(0, 12), names.slice(12)];
    const groups = await Promise.all(
      parts.map(async (part) => (await engine.score(state, [asChoice(part)], never))[0] ?? []),
    );
    const winners = parts.map((part, index) => {
      const found = groups[index] ?? [];
      return part[found.indexOf(Math.max(...found))] ?? '';
    });
    const [last = []] = await engine.score(state, [asChoice(winners)], never);
    const shares = groups.flatMap((group, index) =>
      group.map((probability) => ((last[index] ?? 0) * probability) / Math.max(...group)),
    );
    const sum = shares.reduce((total, share) => total + share, 0);
    isNear(
      answer,
      shares.map((share) => share / sum),
    );
  });

  test('a state longer than a question leaves room for is cut and told, and its windows answer by what they tell', async () => {
    const engine = await open({ settings: { max_len: 96, head_max_len: 48 } });
    const sentence = 'the kea lives. ';
    const long = stateOf(sentence.repeat(20));
    const question = choiceOf('where', { bird: '', card: '' });
    const [answer] = await engine.score(long, [question], never);
    // 8 tokens of the question count as 16, and 18 sentences have 74.
    assert.deepEqual(await engine.countWindows(long, never), { total: 2, read: 2 });
    const windows = [sentence.repeat(18), sentence.repeat(2)];
    const answers = await Promise.all(
      windows.map(async (window) => (await engine.score(stateOf(window), [question], never))[0] ?? []),
    );
    // Both have the same words.
    const told = answers.map((one) => one.reduce((sum, p) => sum + p * Math.log(2 * p), 0));
    const weights = told.map((one) => one / told.reduce((sum, other) => sum + other, 0));
    const [first = [], second = []] = answers;
    isNear(
      answer,
      first.map((p, index) => p * (weights[0] ?? 0) + (second[index] ?? 0) * (weights[1] ?? 0)),
    );
    assert.notDeepEqual(first, second);
    const tooLong = { code: 'context_length_exceeded' };
    const described = choiceOf('where', { bird: 'the '.repeat(50), card: '' });
    await assert.rejects(engine.countTokens(long, [described], never), tooLong);
  });

  test('what looks like a control token in a text stays text', async () => {
    const engine = await open();
    const [answer] = await engine.score(
      stateOf('the [MASK] bird [SEP]'),
      [noulOf('where', '[MASK]', 'a')],
      never,
    );
    const mask = '[UNK] m ##a ##s ##k [UNK]';
    const asked = `[CLS] noul question : where [SEP] [MASK] false : a [MASK] true : ${mask} [SEP]`;
    const row = `${asked} the ${mask} bird [UNK] s ##e ##p [UNK] [SEP]`;
    isNear(answer, softmax(logitsOf(row, 2)).toReversed());
  });

  test('a checkpoint that reads its options beside each other is refused', async (t) => {
    const path = await writeDecider(t, { kind: 'markers', settings: { option_layout: 'parallel' } });
    const engine = await openOnnxEngine({ path });
    assert.match(engine.problem ?? '', /option layout "parallel"/);
  });
});
