import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { ThinkSplitter } from './think-splitter.ts';

function split(pieces: readonly string[], enabled = true): [reasoning: string, text: string] {
  const splitter = new ThinkSplitter(enabled);
  const parts = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
  return [parts.map(({ reasoning }) => reasoning).join(''), parts.map(({ text }) => text).join('')];
}

suite('reasoning inside a text', () => {
  test('is what stands between the tags at the beginning', () => {
    assert.deepEqual(split(['<think>hm</think>so']), ['hm', 'so']);
    assert.deepEqual(split(['\n <think>\nhm\n</think>\n\nso\n']), ['hm\n', 'so\n']);
    assert.deepEqual(split(['<think></think>so']), ['', 'so']);
  });

  test('is not what stands between them later, or without the beginning', () => {
    for (const text of ['a <think>b</think>', '</think>a', '<thin', '<thinking>a', '', ' ', '<']) {
      assert.deepEqual(split([text]), ['', text]);
    }
  });

  test('is all of it when the end never comes', () => {
    assert.deepEqual(split(['<think>hm</thi']), ['hm</thi', '']);
  });

  test('is left alone where the server separates it', () => {
    assert.deepEqual(split(['<think>hm</think>so'], false), ['', '<think>hm</think>so']);
  });

  test('does not depend on where the pieces are cut', () => {
    const piece = fc.constantFrom('<think>', '</think>', '<', '</', 'thi', ' ', '\n', 'a', 'think>');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        assert.deepEqual(split([...text]), split([text]));
        assert.deepEqual(split(pieces), split([text]));
      }),
    );
  });
});
