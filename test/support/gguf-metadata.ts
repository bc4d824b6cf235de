import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

const headBytes = 24;
const alignment = 32;

/** Copies a GGUF file with more in its header. What is added has the length of whole blocks, so tensors stay aligned. */
export async function addMetadata(
  from: string,
  to: string,
  added: Readonly<Record<string, string | number>>,
): Promise<void> {
  const file = await open(from, 'r');
  const head = Buffer.alloc(headBytes);
  await file.read(head, 0, headBytes, 0);
  await file.close();
  const entries = Object.entries(added).map(([key, value]) => entryOf(key, value));
  const length = entries.reduce((sum, { length: one }) => sum + one, 0);
  const rest = alignment - ((length + entryOf(filling, '').length) % alignment);
  entries.push(entryOf(filling, ' '.repeat(rest)));
  head.writeBigUInt64LE(head.readBigUInt64LE(16) + BigInt(entries.length), 16);
  const out = createWriteStream(to);
  out.write(Buffer.concat([head, ...entries]));
  await pipeline(createReadStream(from, { start: headBytes }), out);
}

const filling = 'test.filling';
const float = 6;
const string = 8;

function entryOf(key: string, value: string | number): Buffer {
  const type = Buffer.alloc(4);
  type.writeUInt32LE(typeof value === 'string' ? string : float);
  if (typeof value === 'string') return Buffer.concat([textOf(key), type, textOf(value)]);
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([textOf(key), type, bytes]);
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
}
