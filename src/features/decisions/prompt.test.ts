import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/code-points.ts';
import type { Json } from '../../kernel/kit/json.ts';
import { collectImagesInSteps } from './images.ts';
import { normalizeQuestionInSteps } from './normalize-question.ts';
import type { Question } from './question.ts';
import { runAtOnce } from '../../kernel/kit/slices.ts';
import { isImagePart, renderEntryInSteps, renderState, renderStateInSteps } from './prompt.ts';
import type { Entry } from './engine.ts';

const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

const renderEntry = (entry: Entry | null | undefined) => runAtOnce(renderEntryInSteps(entry));

suite('renderEntry', () => {
  test('text is trimmed, structure is compact JSON, nothing is nothing', () => {
    assert.equal(renderEntry('  a\n'), 'a');
    assert.equal(renderEntry(null), '');
    assert.equal(renderEntry(undefined), '');
    assert.equal(
      renderEntry({ b: [1, null, 'x'], a: { c: true } }),
      '{"b": [1, null, "x"], "a": {"c": true}}',
    );
    assert.equal(renderEntry([]), '[]');
  });

  test('two different structures never look alike, unless they hold images', () => {
    const entry = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => typeof value === 'object' && value !== null);
    fc.assert(
      fc.property(entry, entry, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        assert.equal(renderEntry(a as Entry) === renderEntry(b as Entry), same);
      }),
    );
  });
});

suite('renderState', () => {
  test('text is kept as it is, byte for byte', () => {
    fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => assert.equal(renderState(text), text)));
  });

  test('a conversation keeps its roles as data, one message a paragraph', () => {
    const state = [
      { role: 'system', content: 'Say yes.' },
      { role: 'user', content: [{ type: 'text', text: 'a' }, part, { other: 1 }] },
    ];
    assert.equal(renderState(state), 'system: Say yes.\n\nuser: a\n[image]\n{"other": 1}');
  });

  test('an array that is not all messages is an array', () => {
    assert.equal(
      renderState([{ role: 'user', content: 'a' }, 'b']),
      '[{"role": "user", "content": "a"}, "b"]',
    );
    assert.equal(renderState([]), '[]');
    assert.equal(renderState([{ role: 'user', content: 1 }]), '[{"role": "user", "content": 1}]');
  });

  test('images leave a mark and not their data', () => {
    const text = renderState([part, { a: [part] }]);
    assert.equal(text, '[[image], {"a": [[image]]}]');
  });

  test('long lists carry their index', () => {
    assert.ok(!renderState([1, 2, 3, 4, 5, 6, 7]).includes('0: '));
    const long = renderState(Array.from({ length: 8 }, (_, index) => `item ${index}`));
    assert.ok(long.startsWith('[0: "item 0", 1: "item 1"') && long.endsWith('7: "item 7"]'));
  });

  test('a state of many values is rendered and searched in as many steps', () => {
    const stepsOf = (count: number) => {
      const rows = Array.from({ length: count }, (_, at) => ({ [`name${at}`]: ['x'] }));
      const state = { rows: [{ deep: rows }], none: null };
      return [renderStateInSteps(state), collectImagesInSteps(state, 'state')].map(
        (steps) => [...steps].length,
      );
    };
    const [few, many] = [stepsOf(5_000), stepsOf(20_000)];
    for (const [at, steps] of few.entries()) {
      assert.ok(steps > 10, `${steps} steps`);
      assert.ok((many[at] ?? 0) > steps * 3.5, `${steps} and ${many[at]} steps`);
    }
  });

  test('a question of many values is read in as many steps, wherever they stand', () => {
    const stepsOf = (count: number) => {
      const many = Array.from({ length: count }, (_, at) => ({ [`name${at}`]: ['x'] }));
      const options = Array.from({ length: 200 }, (_, at) => [`option ${at}`, many.slice(0, count / 200)]);
      const questions: readonly Question[] = [
        { type: 'noul', instructions: many },
        { type: 'choice', criteria: Object.fromEntries(options) as Record<string, Json[]> },
        { type: 'score', criteria: ['low', many] },
        { type: 'noul', instructions: 'x', examples: [{ state: many, answer: true }] },
      ];
      return questions.map((question) => [...normalizeQuestionInSteps(question, 'q')].length);
    };
    const [few, many] = [stepsOf(5_000), stepsOf(20_000)];
    for (const [at, steps] of few.entries()) {
      assert.ok(steps > 20, `${steps} steps`);
      assert.ok((many[at] ?? 0) > steps * (at === 1 ? 1 : 3.5) - 1, `${steps} and ${many[at]} steps`);
    }
  });

  test('any state can be rendered', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const state = (typeof value === 'object' && value !== null ? value : [value]) as Entry;
        assert.equal(typeof renderState(state), 'string');
      }),
    );
  });
});

test('an image part is an object with this type and an image_url of any kind', () => {
  assert.ok(isImagePart(part));
  assert.ok(isImagePart({ type: 'image_url', image_url: null }));
  for (const other of [
    { type: 'image_url' },
    { image_url: 'x' },
    { type: 'image', image_url: 'x' },
    [part],
    'x',
    null,
  ] as Json[]) {
    assert.ok(!isImagePart(other));
  }
});
