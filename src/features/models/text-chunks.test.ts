import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { TextChunks } from './text-chunks.ts';

const chunk = (content: unknown, finish: string | null = null, id = 'c1') =>
  JSON.stringify({ id, choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

function after(text: string): TextChunks {
  const chunks = new TextChunks();
  assert.ok(chunks.remember(chunk(text), 'content', text));
  return chunks;
}

suite('chunks that are read without parsing', () => {
  test('give the text that parsing them would give, whatever it holds', () => {
    const chunks = after('Hello');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(chunks.read(chunk(text)), text);
      }),
    );
    for (const text of ['', '"', '\\', '\n', '","content":"', '\ud83d'])
      assert.equal(chunks.read(chunk(text)), text);
  });

  test('are those that differ in their text alone', () => {
    const chunks = after('Hello');
    for (const other of [
      chunk('a', 'stop'),
      chunk('a', null, 'c2'),
      chunk(null),
      chunk(['a']),
      chunk(7),
      '',
      '{}',
      chunk('a').slice(0, -1),
      chunk('a').replace('"a"', '"a","tool_calls":[{}],"x":"b"'),
      chunk('a').replace('"a"', '"a\\"'),
      chunk('a').replace('"a"', '"a\\\\"b"'),
      // Raw control characters are no JSON.
      chunk('a').replace('a', 'a\u0001'),
      chunk('a').replace('a', 'a\tb'),
      chunk('a').replace('a', '\\n\tb'),
      chunk('a').replace('a', '\\x'),
    ]) {
      assert.equal(chunks.read(other), null, other);
    }
    assert.equal(new TextChunks().read(chunk('a')), null);
  });

  test('a chunk in which the place of the text is not plain is not remembered', () => {
    const doubtful: [string, string][] = [
      [chunk('a"b'), 'a"b'],
      [chunk('a\nb'), 'a\nb'],
      ['{"x":{"content":"a"},"choices":[{"delta":{"content" : "a"}}]}', 'a'],
      ['{"x":{"content":"a"},"choices":[{"delta":{"conten\\u0074":"a"}}]}', 'a'],
      ['{"x":"content","choices":[{"delta":{"content":"a"}}]}', 'a'],
      ['{"content":"x","choices":[{"delta":{"content":"a"}}]}', 'a'],
      ['{"choices":[{"delta":{"conten\\u0074":"a"}}]}', 'a'],
      ['{"choices":[{"delta":{"content":"\\u0061"}}]}', 'a'],
    ];
    for (const [data, text] of doubtful) {
      const chunks = new TextChunks();
      assert.equal(chunks.remember(data, 'content', text), false, data);
      assert.equal(chunks.read(data), null, data);
    }
  });

  test('a space after the colon is as good, and a later chunk may replace it', () => {
    const chunks = new TextChunks();
    chunks.remember('{"choices": [{"delta": {"content": "a"}}]}', 'content', 'a');
    assert.equal(chunks.read('{"choices": [{"delta": {"content": "b\\n"}}]}'), 'b\n');
    chunks.remember(chunk('a', null, 'c2'), 'content', 'a');
    assert.equal(chunks.read(chunk('c', null, 'c2')), 'c');
  });
});
