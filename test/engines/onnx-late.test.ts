import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { choiceOf, isNear, never, noulOf, scoreOf, softmax, stateOf } from '../support/asked.ts';
import { decidersOf, idsOf, placedMeanOf, valueOf, writeDecider } from '../support/onnx-deciders.ts';

const open = decidersOf('late');

/** The mean of both numbers of the tokens of a row. */
function meansOf(row: string): readonly [number, number] {
  const ids = idsOf(`[CLS] ${row} [SEP]`);
  const own = ids.reduce((sum, id) => sum + valueOf(id), 0) / ids.length;
  return [own, placedMeanOf(ids)];
}

/** What the second graph of the tests gives for an option, divided by the temperature. */
function scoreFor(state: string, option: string, temperature = 0.5): number {
  const [a, b] = [meansOf(state), meansOf(option)];
  return (a[0] * b[0] + a[1] * b[1]) / 2 / temperature;
}

suite('the adapter late', () => {
  test('encodes state and options by themselves, with the question where the model reads it', async () => {
    const state = stateOf('the bird lives');
    const question = choiceOf('where is it', { parrot: '', bird: 'my card' });
    const cases = [
      [{}, 'query : the bird lives', 'passage : where is it '],
      [
        { question_in_state: true, question_in_choices: false, state_prefix: 'the ', choice_prefix: '' },
        'the where is it the bird lives',
        '',
      ],
    ] as const;
    for (const [settings, asked, before] of cases) {
      const engine = await open({ settings });
      const [answer] = await engine.score(state, [question], never);
      const scores = ['parrot', 'bird : my card'].map((option) => scoreFor(asked, `${before}${option}`));
      isNear(answer, softmax(scores));
    }
  });

  test('a noul is yes or no, with what either means behind the question; levels have a head of their own', async () => {
    const engine = await open({ settings: { question_in_state: true } });
    const [noul, plain, score] = await engine.score(
      stateOf('the kea'),
      [noulOf('is it', 'a bird', ''), noulOf('is it', '', ''), scoreOf('is it', ['no', 'word', 'yes'])],
      never,
    );
    const asked = 'is it true if : a bird false if : —';
    const ask = (said: string) =>
      softmax(
        ['yes', 'no'].map((option) => scoreFor(`query : ${said} the kea`, `passage : ${said} ${option}`)),
      );
    isNear(noul, ask(asked));
    isNear(plain, ask('is it'));
    const rows = ['no', 'word', 'yes'].map((level) => `passage : is it ${level}`);
    const scores = rows.map((row) => scoreFor('query : is it the kea', row));
    const vectors = rows.map(meansOf);
    const expected = softmax(scores).reduce((sum, share, index) => sum + share * index, 0) - 1;
    const centre = vectors.reduce((sum, [a, b]) => sum + 0.5 * a - b, 0) / 3 + 0.1 + expected;
    const gaps = vectors.map(([a, b]) => Math.log1p(Math.exp(a + 0.3 * b + 0.2)) + 1e-3);
    const [first = 0, second = 0, third = 0] = gaps;
    const half = (first + second + third) / 2;
    const above = [first - half, first + second - half].map((one) => 1 / (1 + Math.exp(one - centre)));
    isNear(score, [1 - (above[0] ?? 0), (above[0] ?? 0) - (above[1] ?? 0), above[1] ?? 0]);
  });

  test('no order of options, no other question and no earlier one changes an answer', async () => {
    const engine = await open();
    const names = ['bird', 'card', 'kea'];
    const ask = (order: readonly string[]) =>
      choiceOf('where', Object.fromEntries(order.map((name) => [name, ''])));
    const [first = []] = await engine.score(stateOf('the kea lives'), [ask(names)], never);
    const [, turned = []] = await engine.score(
      stateOf('the kea lives'),
      [noulOf('a bird', '', ''), ask(names.toReversed())],
      never,
    );
    assert.deepEqual(turned.toReversed(), first);
  });

  test('a question is shortened beside a long option, which is kept, and refused where that does not help', async () => {
    const engine = await open({ settings: { max_choice_tokens: 13, max_state_tokens: 64 } });
    const asked = 'where is my card the bird lives';
    const [answer] = await engine.score(
      stateOf('the kea'),
      [choiceOf(asked, { yes: '', money: 'a bird in the mountains' })],
      never,
    );
    const short = scoreFor('query : the kea', `passage : ${asked} yes`);
    const long = scoreFor('query : the kea', 'passage : where … money : a bird in the mountains');
    isNear(answer, softmax([short, long]));
    const tooLong = choiceOf('where', { yes: '', money: 'the '.repeat(12) });
    const refused = { code: 'context_length_exceeded' };
    await assert.rejects(engine.countTokens(stateOf('the kea'), [tooLong], never), refused);
    const [windows] = [await engine.countWindows(stateOf('the kea lives. '.repeat(40)), never)];
    assert.ok(windows.total > 2 && windows.read <= 4, JSON.stringify(windows));
  });

  test('a folder without the second graph, or without the head for levels, says what is missing', async (t) => {
    const path = await writeDecider(t, { kind: 'late', settings: { ordinal: { ord_g_w: [1] } } });
    assert.match(
      (await openOnnxEngine({ path })).problem ?? '',
      /decima.json needs ord_g_w and ord_gap_w of 2 numbers/,
    );
    await rm(join(path, 'scorer.onnx'));
    assert.match((await openOnnxEngine({ path })).problem ?? '', /scorer.onnx is missing in /);
  });
});
