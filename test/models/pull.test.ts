import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openHub, PullError } from '../../src/features/models/hub.ts';
import { parseReference, pull, type PullRequest } from '../../src/features/models/pull.ts';
import { startHub, type HubScript } from '../support/hub.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const content = Buffer.concat([Buffer.from('GGUF'), randomBytes(300_000)]);
const base = { repository: 'lab/models', file: 'm.gguf', content };
const never = new AbortController().signal;

async function start(t: TestContext, script: Partial<HubScript> = {}, token: string | null = null) {
  const folder = await temporaryFolder(t);
  const progress: number[] = [];
  const remote = await startHub(t, { ...base, taken: () => progress.at(-1) ?? 0, ...script });
  const hub = openHub({ endpoint: remote.url, token, proxy: null });
  t.after(() => hub.close());
  const retries: string[] = [];
  const run = (more: Partial<PullRequest> = {}) =>
    pull(hub, {
      file: parseReference(`${base.repository}/${script.file ?? base.file}`),
      folder,
      signal: never,
      onProgress: (done) => void progress.push(done),
      onRetry: (reason) => void retries.push(reason),
      retryMs: 1,
      ...more,
    });
  return { folder, hub, remote, progress, retries, run };
}

const isPullError = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof PullError, String(error));
  assert.match(error.message, pattern);
  return true;
};

suite('references', () => {
  test('a file is owner, repository and path; a revision and the address of the site are understood', () => {
    const file = { repository: 'Qwen/Qwen3-0.6B-GGUF', file: 'q8/a.gguf', revision: 'main' };
    for (const text of [
      'Qwen/Qwen3-0.6B-GGUF/q8/a.gguf',
      'https://huggingface.co/Qwen/Qwen3-0.6B-GGUF/resolve/main/q8/a.gguf?download=true',
      'https://huggingface.co/Qwen/Qwen3-0.6B-GGUF/blob/main/q8/a.gguf',
      'hf.co/Qwen/Qwen3-0.6B-GGUF/q8/a.gguf',
    ])
      assert.deepEqual(parseReference(text), file, text);
    assert.equal(parseReference('a/b/c.gguf@v1.2').revision, 'v1.2');
    assert.equal(parseReference('a/b').file, '');
  });

  test('what is no file of the Hub, or leads out of a folder, is refused', () => {
    for (const text of ['', 'a', 'a/../c.gguf', 'a/b/../../etc.gguf', '../../x', 'a b/c/d.gguf'])
      assert.throws(() => parseReference(text), PullError, text);
  });
});

suite('a pull', () => {
  test('gives a verified file its name and leaves nothing beside it', async (t) => {
    const { folder, run, progress, remote } = await start(t);
    const pulled = await run();
    assert.deepEqual(await readFile(pulled.path), content);
    assert.deepEqual([pulled.isVerified, pulled.wasThere, pulled.size], [true, false, content.length]);
    assert.equal(pulled.sha256, createHash('sha256').update(content).digest('hex'));
    assert.deepEqual(await readdir(folder), ['m.gguf']);
    assert.equal(progress.at(-1), content.length);
    assert.equal(
      remote.requests.filter(({ method, host }) => method === 'HEAD' && host === 'files').length,
      0,
    );
  });

  test('of a file that is there already reads nothing', async (t) => {
    const { run, remote } = await start(t);
    await run();
    const before = remote.requests.length;
    assert.equal((await run()).wasThere, true);
    assert.deepEqual(
      remote.requests.slice(before).map(({ method }) => method),
      ['HEAD'],
    );
  });

  test('continues by range after each cut, to the byte', async (t) => {
    const { run, remote, retries } = await start(t, { cuts: [100_000, 50_000, 1] });
    assert.deepEqual(await readFile((await run()).path), content);
    const ranges = remote.requests.flatMap(({ host, range }) => (host === 'files' ? [range] : []));
    assert.deepEqual(ranges, [undefined, 'bytes=100000-', 'bytes=150000-', 'bytes=150001-']);
    assert.equal(retries.length, 3);
  });

  test('continues what an earlier run left', async (t) => {
    const { run, remote, folder } = await start(t, { cuts: [200_000] });
    const stopping = new AbortController();
    await assert.rejects(
      run({ signal: stopping.signal, onRetry: () => stopping.abort(new Error('stopped')) }),
    );
    const [part = ''] = await readdir(folder);
    assert.match(part, /^m\.gguf\.[0-9a-f]{16}\.part$/);
    assert.deepEqual(await readFile((await run()).path), content);
    assert.equal(remote.requests.at(-1)?.range, 'bytes=200000-');
    assert.deepEqual(await readdir(folder), ['m.gguf']);
  });

  test('begins again where the server knows no ranges', async (t) => {
    const { run } = await start(t, { cuts: [200_000], hasNoRanges: true });
    assert.deepEqual(await readFile((await run()).path), content);
  });

  test('of a whole file that was not yet renamed needs no byte', async (t) => {
    const { run, folder } = await start(t);
    const sha256 = createHash('sha256').update(content).digest('hex');
    await writeFile(join(folder, `m.gguf.${sha256.slice(0, 16)}.part`), content);
    assert.deepEqual(await readFile((await run()).path), content);
  });

  test('with a wrong checksum is refused, deleted and takes no name', async (t) => {
    const { run, folder } = await start(t, {
      sent: Buffer.concat([content.subarray(0, -1), Buffer.from([1])]),
      sha256: 'a'.repeat(64),
    });
    await assert.rejects(run(), isPullError(/The checksum is [0-9a-f]{64} in place of a{64}/));
    assert.deepEqual(await readdir(folder), []);
  });

  test('that brings more than the file is long is refused', async (t) => {
    const { run } = await start(t, { sent: Buffer.concat([content, content]) });
    await assert.rejects(run(), isPullError(/more than the file is long/));
  });

  test('finds the checksum in the API where the redirect does not have it', async (t) => {
    const { run } = await start(t, { isInTreeOnly: true, file: 'folder/m.gguf' });
    assert.equal((await run()).isVerified, true);
    const wrong = await start(t, { isInTreeOnly: true, sha256: 'b'.repeat(64) });
    await assert.rejects(wrong.run(), isPullError(/checksum/));
  });

  test('without any checksum says so, and still refuses what is no GGUF file', async (t) => {
    const { run } = await start(t, { sha256: null });
    assert.equal((await run()).isVerified, false);
    const page = Buffer.from('<html>blocked by your proxy</html>');
    const blocked = await start(t, { sha256: null, content: page });
    await assert.rejects(blocked.run(), isPullError(/no GGUF file/));
    assert.deepEqual(await readdir(blocked.folder), []);
  });

  test('sends the token to the Hub and never to the host of the files', async (t) => {
    const { run, remote } = await start(t, {}, 'hf_secret');
    await run();
    for (const { host, authorization } of remote.requests)
      assert.equal(authorization, host === 'hub' ? 'Bearer hf_secret' : undefined);
  });

  const refusals: Readonly<Record<number, RegExp>> = {
    401: /private.*set HF_TOKEN/,
    403: /A proxy that filters downloads/,
    404: /has no file m\.gguf in lab\/models at main/,
    500: /answered with status 500/,
  };
  for (const [status, pattern] of Object.entries(refusals)) {
    test(`a Hub that answers ${status} is reported in words that help`, async (t) => {
      const { run } = await start(t, { status: Number(status) });
      await assert.rejects(run(), isPullError(pattern));
    });
  }

  test('a network that refuses is reported with what to do instead', async (t) => {
    const { folder } = await start(t);
    const hub = openHub({ endpoint: 'http://127.0.0.1:1', token: 'hf_secret', proxy: null });
    t.after(() => hub.close());
    const request = {
      file: parseReference('a/b/c.gguf'),
      folder,
      signal: never,
      onProgress() {},
      onRetry() {},
    };
    await assert.rejects(
      pull(hub, request),
      isPullError(/^127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\..*HF_ENDPOINT.*copy a GGUF file/),
    );
  });

  test('a connection that always breaks ends with what is kept', async (t) => {
    const { run, folder } = await start(t, { cuts: [1_000, 0, 0, 0, 0, 0, 0, 0] });
    await assert.rejects(run(), isPullError(/the same command continues it/));
    assert.equal((await readdir(folder)).length, 1);
  });
});
