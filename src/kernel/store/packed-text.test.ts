import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { packText, unpackText } from './packed-text.ts';

test('a text comes back as it was, short, long, in any script, or unlike anything', async () => {
  const noise = randomBytes(3_000).toString('base64');
  for (const text of ['', '[]', '["größe 日本 🦜"]'.repeat(500), noise])
    assert.equal(await unpackText(await packText(text)), text);
  assert.equal(await packText('[1,2]'), '[1,2]');
  assert.ok((await packText(noise)).length <= noise.length);
});

test('events of an answer take a tenth of what they say', async () => {
  const event = (at: number) => [
    at,
    'response.output_text.delta',
    `{"type":"response.output_text.delta","item_id":"msg_0123456789abcdef","output_index":1,"content_index":0,"delta":"word${at} ","sequence_number":${at}}`,
  ];
  const lines = JSON.stringify(Array.from({ length: 500 }, (_, at) => event(at)));
  const packed = await packText(lines);
  assert.ok(packed.length * 10 < lines.length, `${lines.length} became ${packed.length}`);
});
