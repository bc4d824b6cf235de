import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../kernel/faults.ts';
import { lineBytesMax, LineCutter, piecesOf, type CutPiece } from './lines.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Check = (line: Buffer) => void;

async function cut(text: string, size = 7, check: Check = () => {}): Promise<readonly CutPiece[]> {
  return Array.fromAsync(piecesOf(inPieces(Buffer.from(text), size), check));
}

test('lines come whole, however the upload is split, and keep their numbers', async () => {
  const text = '\uFEFF{"a":"é"}\r\n\n  {"b":2}  \n\n{"c":3}';
  for (const size of [1, 2, 3, 5, 1_000]) {
    const lines: [number, string][] = [];
    const cutter = new LineCutter();
    for await (const chunk of inPieces(Buffer.from(text), size))
      for (const line of cutter.push(chunk)) lines.push([cutter.line, line.toString()]);
    for (const line of cutter.end()) lines.push([cutter.line, line.toString()]);
    const wanted = ['{"a":"é"}\r', '', '  {"b":2}  ', '', '{"c":3}'];
    assert.deepEqual(lines, wanted.map((line, at) => [at + 1, line]), String(size)); // prettier-ignore
    const pieces = [{ firstLine: 1, lines: 5, rows: 3, content: '{"a":"é"}\n\n{"b":2}\n\n{"c":3}' }];
    assert.deepEqual(await cut(text, size), pieces);
  }
});

test('pieces are bounded in lines and bytes, follow each other and leave out what is blank', async () => {
  const rows = await cut(Array.from({ length: 600 }, (_, at) => `{"n":${at}}`).join('\n'), 64);
  assert.deepEqual(rows.map(({ firstLine, lines }) => [firstLine, lines]), [[1, 256], [257, 256], [513, 88]]); // prettier-ignore
  const long = JSON.stringify({ text: 'x'.repeat(200_000) });
  const large = await cut([long, long, long].join('\n'), 65_536);
  assert.deepEqual(large.map(({ firstLine, lines }) => [firstLine, lines]), [[1, 2], [3, 1]]); // prettier-ignore
  const full = await cut(Array.from({ length: 256 }, () => '{}').join('\n'));
  assert.deepEqual(full.map(({ firstLine, rows }) => [firstLine, rows]), [[1, 256]]); // prettier-ignore
  const blank = await cut(`${'\n'.repeat(300)}{"a":1}\n${'\n'.repeat(300)}`, 64);
  assert.deepEqual(blank.map(({ firstLine, rows }) => [firstLine, rows]), [[257, 1]]); // prettier-ignore
  assert.deepEqual(await cut(''), []);
});

test('what a line is refused for is said with its number', async () => {
  const check = (line: Buffer): void => {
    if (line.includes('x')) throw new Fault('invalid_value', 'no', { param: 'state' });
  };
  await assert.rejects(cut('{}\n\n{"x":1}', 3, check), (error: Fault) => {
    assert.deepEqual([error.code, error.message, error.param], ['invalid_value', 'line 3: no', '3.state']);
    return true;
  });
});

test('a line without an end is refused before it is held whole', async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      given += 65_536;
      yield Buffer.alloc(65_536, 0x20);
    }
  }
  const all = Array.fromAsync(piecesOf(endless(), () => {}));
  await assert.rejects(all, /line 1 has 4194304 bytes or more/);
  assert.ok(given <= lineBytesMax + 65_536);
});
