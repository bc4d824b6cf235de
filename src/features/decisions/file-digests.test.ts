import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { codeDigest, modelDigest } from './file-digests.ts';

function folderOf(t: TestContext, files: Readonly<Record<string, string | Buffer>>) {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-digests-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { folder, write };
}

suite('a digest of files', () => {
  test('of a large model changes with its size and with every layer of it, and not with its place', async (t) => {
    const size = 32 * 1_048_576;
    const weights = Buffer.alloc(size, 1);
    const { folder, write } = folderOf(t, { 'a.gguf': weights, 'b/c.gguf': weights });
    const digest = await modelDigest(join(folder, 'a.gguf'));
    assert.equal(await modelDigest(join(folder, 'b/c.gguf')), digest);
    for (const changed of [
      Buffer.concat([weights, Buffer.alloc(1)]),
      Buffer.concat([weights.subarray(0, -1), Buffer.from([2])]),
      Buffer.concat([
        weights.subarray(0, size / 2),
        Buffer.alloc(1_048_576, 2),
        weights.subarray(size / 2 + 1_048_576),
      ]),
    ]) {
      write('a.gguf', changed);
      assert.notEqual(await modelDigest(join(folder, 'a.gguf')), digest);
    }
  });

  test('of a model in ONNX form changes with what describes it, and not with what lies beside it', async (t) => {
    const files = {
      'config.json': '{}',
      'README.md': 'x',
      'onnx/model.onnx': 'graph',
      'onnx/model.onnx_data': 'w',
    };
    const { folder, write } = folderOf(t, files);
    const digest = await modelDigest(folder);
    assert.equal(await modelDigest(join(folder, 'onnx/model.onnx')), digest);
    write('README.md', 'y');
    assert.equal(await modelDigest(folder), digest);
    for (const name of ['config.json', 'onnx/model.onnx', 'onnx/model.onnx_data']) {
      write(name, 'other');
      assert.notEqual(await modelDigest(folder), digest, name);
      write(name, files[name as keyof typeof files]);
    }
    assert.equal(await modelDigest(folder), digest);
    await assert.rejects(modelDigest(join(folder, 'none.gguf')), { code: 'ENOENT' });
  });

  test('of code changes with its data, and not with its tests', async (t) => {
    const { folder, write } = folderOf(t, {
      'code/a.ts': 'a',
      'code/deep/b.json': '1',
      'code/a.test.ts': 't',
      'code/of-the-package.js': 'j',
      data: 'd',
    });
    const places = ['code', 'data'].map((name) => pathToFileURL(join(folder, name)));
    const digest = await codeDigest(places);
    write('code/a.test.ts', 'u');
    write('code/notes.md', 'n');
    assert.equal(await codeDigest(places), digest);
    for (const name of ['data', 'code/deep/b.json', 'code/a.ts', 'code/of-the-package.js']) {
      write(name, 'other');
      const changed = await codeDigest(places);
      assert.notEqual(changed, digest, name);
    }
  });
});
