import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { until } from '../../../test/support/until.ts';
import { openEncoderCache, type EncoderCacheOptions } from './encoder-cache.ts';

const dimensions = 3;
const recordBytes = 16 + dimensions * 4 + 4;
const texts = ['billing', 'shipping', 'other'];
const vectorOf = (text: string) => Float32Array.of(text.length, -1 / text.length, text.charCodeAt(0));

async function openFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-encoder-cache-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return {
    folder,
    path: join(folder, 'encoder-vectors-a1.bin'),
    open: (options: Partial<EncoderCacheOptions> = {}) =>
      openEncoderCache({ folder, version: 'a1', dimensions, ...options }),
  };
}

type Folder = Awaited<ReturnType<typeof openFolder>>;

async function fill({ open }: Folder, some: readonly string[] = texts): Promise<void> {
  const cache = open();
  for (const text of some) cache.put(text, vectorOf(text));
  await cache.close();
}

/** The texts that a newly opened cache knows; those it knows have to have the right vector. */
async function known({ open }: Folder, some: readonly string[] = texts): Promise<readonly string[]> {
  const cache = open();
  cache.put('the last to be known', vectorOf('x'));
  await cache.close();
  return some.filter((text) => {
    const vector = cache.get(text);
    if (vector !== undefined) assert.deepEqual(vector, vectorOf(text));
    return vector !== undefined;
  });
}

suite('vectors of the encoder on disk', () => {
  test('are known at once, and after a restart once the file is read', async (t) => {
    const folder = await openFolder(t);
    const cache = folder.open();
    assert.equal(cache.get('billing'), undefined);
    cache.put('billing', vectorOf('billing'));
    assert.deepEqual(cache.get('billing'), vectorOf('billing'));
    await cache.close();
    const again = folder.open();
    t.after(() => again.close());
    await until(() => again.get('billing') !== undefined);
    assert.deepEqual(again.get('billing'), vectorOf('billing'));
    assert.equal(again.get('shipping'), undefined);
  });

  test('cost no file where none was asked for', async (t) => {
    const { open, folder } = await openFolder(t);
    await open().close();
    assert.deepEqual(await readdir(folder), []);
  });

  test('of a cut-off tail are left out, at whatever byte it was cut, and what is written after it is found', async (t) => {
    for (let bytes = 0; bytes < recordBytes; bytes++) {
      const folder = await openFolder(t);
      await fill(folder);
      await truncate(folder.path, 2 * recordBytes + bytes);
      assert.deepEqual(await known(folder), texts.slice(0, 2), `${bytes} bytes of a record`);
      await fill(folder, ['after']);
      assert.deepEqual(await known(folder, ['billing', 'after']), ['billing', 'after']);
    }
  });

  test('with a flipped bit anywhere are left out alone', async (t) => {
    for (let at = 0; at < recordBytes; at++) {
      const folder = await openFolder(t);
      await fill(folder);
      const bytes = await readFile(folder.path);
      bytes.writeUInt8(bytes.readUInt8(recordBytes + at) ^ 1, recordBytes + at);
      await writeFile(folder.path, bytes);
      assert.deepEqual(await known(folder), ['billing', 'other'], `byte ${at}`);
    }
  });

  test('of other weights are never read, and go', async (t) => {
    const folder = await openFolder(t);
    await fill(folder);
    const other = { ...folder, open: () => folder.open({ version: 'b2' }) };
    assert.deepEqual(await known(other), []);
    assert.deepEqual(await readdir(folder.folder), ['encoder-vectors-b2.bin']);
  });

  test('start anew beyond the most there may be, in memory and in the file', async (t) => {
    const folder = await openFolder(t);
    const small = { ...folder, open: () => folder.open({ recordsMax: 3 }) };
    await fill(small);
    const cache = small.open();
    cache.get('billing');
    await until(() => cache.get('other') !== undefined);
    cache.put('fourth', vectorOf('fourth'));
    assert.equal(cache.get('billing'), undefined);
    await cache.close();
    assert.equal((await readFile(folder.path)).length, recordBytes);
    assert.deepEqual(await known(small, [...texts, 'fourth']), ['fourth']);
  });

  test('are written by two processes into one file', async (t) => {
    const folder = await openFolder(t);
    const [one, two] = [folder.open(), folder.open()];
    one.put('billing', vectorOf('billing'));
    two.put('shipping', vectorOf('shipping'));
    await Promise.all([one.close(), two.close()]);
    assert.deepEqual(await known(folder), ['billing', 'shipping']);
  });

  test('stay in memory where no file can be written, which is told once', async (t) => {
    const folder = await openFolder(t);
    await writeFile(join(folder.folder, 'no-folder'), '');
    const failures: unknown[] = [];
    const cache = folder.open({
      folder: join(folder.folder, 'no-folder'),
      onFailure: (error) => failures.push(error),
    });
    cache.put('billing', vectorOf('billing'));
    await until(() => failures.length > 0);
    cache.put('shipping', vectorOf('shipping'));
    await cache.close();
    assert.deepEqual(cache.get('billing'), vectorOf('billing'));
    assert.deepEqual(cache.get('shipping'), vectorOf('shipping'));
    assert.equal(failures.length, 1);
  });

  test('that a killed process wrote are there, and the rest of its file is no harm', async (t) => {
    const folder = await openFolder(t);
    const script = `
      const { openEncoderCache } = await import(${JSON.stringify(new URL('encoder-cache.ts', import.meta.url).href)});
      const cache = openEncoderCache(${JSON.stringify({ folder: folder.folder, version: 'a1', dimensions })});
      for (let n = 0; n < 15_000; n++) {
        cache.put('text ' + n, Float32Array.of(n, n, n));
        if (n % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      process.stdin.resume();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'exit');
    await until(async () => (await readFile(folder.path).catch(() => '')).length > 0);
    child.kill('SIGKILL');
    await ended;
    const cache = folder.open();
    t.after(() => cache.close());
    const written = Math.floor((await readFile(folder.path)).length / recordBytes);
    await until(() => cache.get(`text ${written - 1}`) !== undefined);
    for (let n = 0; n < written; n++)
      assert.deepEqual(cache.get(`text ${n}`), Float32Array.of(n, n, n), `text ${n}`);
    assert.equal(cache.get(`text ${written}`), undefined);
  });
});
