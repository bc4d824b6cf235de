import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { OutboundBroken } from './outbound-request.ts';
import { EventReader, readEvents, type ReceivedEvent } from './sse-reader.ts';

const bytesMax = 10_000;

/** Every event of a body that comes in these pieces. */
function read(...pieces: readonly (string | Uint8Array)[]): ReceivedEvent[] {
  const reader = new EventReader(bytesMax);
  const events = pieces.flatMap((piece) => [
    ...reader.push(typeof piece === 'string' ? Buffer.from(piece) : piece),
  ]);
  return [...events, ...reader.end()];
}

const dataOf = (...pieces: readonly (string | Uint8Array)[]) => read(...pieces).map(({ data }) => data);

suite('the reader of server-sent events', () => {
  test('reads events with LF, CRLF and CR', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['event: a', 'data: 1', '', 'data: 2', '', ''].join(end);
      assert.deepEqual(read(text), [
        { event: 'a', data: '1' },
        { event: null, data: '2' },
      ]);
    }
  });

  test('tells an event as soon as its blank line is there, also when that ends on a lone CR', () => {
    const reader = new EventReader(bytesMax);
    assert.deepEqual(reader.push(Buffer.from('data: 1\r\n\r')), [{ event: null, data: '1' }]);
    assert.deepEqual(reader.push(Buffer.from('\ndata: 2\r\n\r\n')), [{ event: null, data: '2' }]);
    assert.deepEqual(reader.end(), []);
  });

  test('passes comments, other fields and a byte-order mark by', () => {
    assert.deepEqual(
      dataOf(
        '\ufeffdata: 1\n\n: keep-alive\n\n',
        ':\n\nid: 7\nretry: 10\ndatabase: x\neventful\ndata: 2\n\n',
      ),
      ['1', '2'],
    );
  });

  test('joins lines of data and takes one space after the colon, if any', () => {
    assert.deepEqual(dataOf('data:a\ndata:  b\ndata\ndata:\n\n'), ['a\n b\n\n']);
  });

  test('an event name belongs to its own event only', () => {
    assert.deepEqual(read('event: x\n\ndata: 1\n\nevent:y\ndata: 2\n\n'), [
      { event: null, data: '1' },
      { event: 'y', data: '2' },
    ]);
  });

  test('tells what stands at the end without a blank line', () => {
    assert.deepEqual(dataOf('data: 1\n\ndata: [DONE]'), ['1', '[DONE]']);
    assert.deepEqual(dataOf('data: 1\n\ndata: [DONE]\n'), ['1', '[DONE]']);
  });

  test('gives the same events however the bytes are cut, characters and line ends included', () => {
    const text = 'event: é\r\ndata: "ñ€𝄞"\r\n\r\n: ping\n\ndata: {"a":"日本"}\ndata: x\r\rdata: z\n\n';
    const bytes = Buffer.from(text);
    const whole = read(text);
    assert.equal(whole.length, 3);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        assert.deepEqual(read(...pieces), whole);
      }),
    );
  });

  test('reads plain Uint8Arrays that are views', () => {
    const bytes = new TextEncoder().encode('xxdata: 1\n\nyy');
    assert.deepEqual(dataOf(bytes.subarray(2, 11)), ['1']);
  });

  test('refuses a line and an event above the cap, and keeps no more than it', () => {
    const line = new EventReader(100);
    assert.throws(() => {
      for (;;) line.push(Buffer.from('data: xxxxxxxxxxxx'));
    }, OutboundBroken);
    const lines = new EventReader(100);
    assert.throws(() => {
      for (;;) lines.push(Buffer.from('data: xxxxxxxxxxxx\n'));
    }, OutboundBroken);
  });

  test('gives one batch for each chunk that completed events', async () => {
    const chunks = ['data: 1\n\ndata: 2\n\n', 'data:', ' 3\n\n', ': ping\n\n', 'data: 4'];
    async function* body() {
      for (const chunk of chunks) yield Buffer.from(chunk);
    }
    const batches: string[][] = [];
    for await (const batch of readEvents(body(), bytesMax)) batches.push(batch.map(({ data }) => data));
    assert.deepEqual(batches, [['1', '2'], ['3'], ['4']]);
  });
});
