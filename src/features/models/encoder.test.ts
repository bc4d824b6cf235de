import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encoderPath } from './encoder.ts';

test('the files of the encoder are those of which assets/README.md tells', () => {
  const told = readFileSync(join(encoderPath, '../README.md'), 'utf8');
  const rows = [...told.matchAll(/^\| `([\w./]+)` +\| `([0-9a-f]{64})` \|$/gm)];
  assert.deepEqual(
    rows.map(([, name]) => name),
    ['model.onnx', 'tokenizer.json', 'config.json', 'reader/reader.onnx', 'reader/embeddings.json'],
  );
  for (const [, name = '', sum] of rows)
    assert.equal(hash('sha256', readFileSync(join(encoderPath, name))), sum);
});

test('the version of the encoder names its weights and its tokenizer', () => {
  const read = (name: string) => readFileSync(join(encoderPath, name));
  const digests = ['model.onnx', 'tokenizer.json'].map((name) => hash('sha256', read(name), 'buffer'));
  const { version } = JSON.parse(read('config.json').toString()) as { readonly version: string };
  assert.equal(version, hash('sha256', Buffer.concat(digests)).slice(0, 16));
});
