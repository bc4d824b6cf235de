import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { curatedModels } from '../../src/features/models/curated/list.ts';
import { pullModel, type ModelPull, type PullPlan } from '../../src/features/models/curated/pull-model.ts';
import { openHub, PullError } from '../../src/features/models/hub.ts';
import { jsonOf, openConsole } from '../commands/support.ts';
import { startHub, type HubScript } from '../support/hub.ts';
import { writeOnnxModel } from '../support/onnx.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const env = { NESTOR_DETECT: 'false', NESTOR_DECISIONS_ENGINE: 'words' };
const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', '1_Pooling/config.json'];
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A repository with a model in ONNX form, whose graph alone is a large file. */
async function startRepository(t: TestContext, script: Partial<HubScript> = {}) {
  const folder = await writeOnnxModel(t);
  const content = await readFile(join(folder, 'model.onnx'));
  const small = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
  const page = Buffer.from('---\nlicense: mit\n---\n');
  const repository = { repository: 'lab/encoder', file: 'onnx/model.onnx', content };
  return startHub(t, { ...repository, small: { ...small, 'README.md': page }, ...script });
}

function openCommand(t: TestContext, endpoint: string) {
  const { folder, nestor } = openConsole(t);
  const run = (line: string, from = endpoint) =>
    nestor(['models', ...line.split(' ')], {
      env,
      hub: { endpoint: from, token: undefined, proxy: undefined },
    });
  return { models: join(folder, 'data', 'models'), run };
}

suite('the list of known models', () => {
  test('names each once, by a commit, with the licence and whole checksums', () => {
    assert.equal(new Set(curatedModels.map(({ name }) => name)).size, curatedModels.length);
    for (const { name, revision, files, licence, engine } of curatedModels) {
      assert.match(name, /^[a-z0-9][a-z0-9.-]+$/);
      assert.match(revision, /^[0-9a-f]{40}$/, name);
      for (const { file, size, sha256 } of files) {
        assert.ok(sha256 === null || /^[0-9a-f]{64}$/.test(sha256), file);
        assert.equal(size === null, sha256 === null, `${name} ${file}`);
      }
      assert.ok(URL.canParse(licence.url));
      // The weights themselves are always known.
      const weights = files.filter(({ file }) => /\.(?:gguf|onnx)$/.test(file));
      assert.ok(weights.length === 1 && weights.every(({ sha256 }) => sha256 !== null), name);
      assert.equal(engine === 'local', weights[0]?.file.endsWith('.gguf'));
    }
  });

  test('is printed with sizes and licences, as a table and as JSON', async (t) => {
    const { run } = openCommand(t, 'http://127.0.0.1:1');
    const { code, out } = await run('list --known');
    assert.equal(code, 0);
    assert.match(
      out,
      /^minilm +23\.5 MB +onnx, cosine +Apache-2\.0 +sentence-transformers\/all-MiniLM-L6-v2 /m,
    );
    assert.match(out, /^gemma3-270m +291\.5 MB +local +Gemma Terms of Use \(conditions\) /m);
    const rows = jsonOf<readonly Readonly<Record<string, unknown>>[]>(await run('list --known --json'));
    assert.deepEqual(
      rows.map(({ name }) => name),
      curatedModels.map(({ name }) => name),
    );
    assert.equal(rows[0]?.['size_bytes'], 23_493_801);
  });
});

suite('nestor models pull by name', () => {
  test('shows what it is about to pull, and asks for the licence where that has conditions', async (t) => {
    const { run, models } = openCommand(t, 'http://127.0.0.1:1');
    const { code, err } = await run('pull gemma3-270m');
    assert.equal(code, 2);
    assert.match(err, /^gemma3-270m: Gemma 3 270M/);
    for (const line of [
      /^ {2}source +ggml-org\/gemma-3-270m-it-GGUF at e7647be17ae1$/m,
      /^ {2}size +291\.5 MB$/m,
      /^ {2}checksums +of 1 of 1 file known here$/m,
      /^ {2}licence +Gemma Terms of Use, https:\S+$/m,
      /^ {2}conditions +Uses that/m,
    ])
      assert.match(err, line);
    assert.match(err, /--accept-licence accepts them\. Try: nestor models --help\n$/);
    // With it, the Hub is asked.
    const accepted = await run('pull gemma3-270m --accept-licence');
    assert.deepEqual([accepted.code, accepted.out], [1, '']);
    assert.match(accepted.err, /cannot be reached \(ECONNREFUSED\)/);
    assert.deepEqual(await readdir(models).catch(() => []), []);
  });

  test('refuses a file of the Hub that is another than the known one, before it reads it', async (t) => {
    const known = curatedModels.find(({ name }) => name === 'qwen3-0.6b');
    const { repository = '', revision = '', files = [] } = known ?? {};
    const content = Buffer.from('GGUF of somebody else');
    const hub = await startHub(t, { repository, revision, file: files[0]?.file ?? '', content });
    const { run } = openCommand(t, hub.url);
    const { code, err } = await run('pull qwen3-0.6b');
    assert.equal(code, 1);
    assert.match(
      err,
      /is not the file that is known: the Hub tells 21 bytes and the checksum [0-9a-f]{64}, expected/,
    );
    assert.ok(hub.requests.every(({ host }) => host === 'hub'));
  });

  test('of a name that is not known lists those that are', async (t) => {
    const { run } = openCommand(t, 'http://127.0.0.1:1');
    const { code, err } = await run('pull minilm-l6');
    assert.equal(code, 2);
    assert.match(err, /Nothing is known as "minilm-l6": there are minilm, .*, and OWNER\/REPO\/FILE\.gguf\./);
  });
});

suite('a pull of a model in ONNX form', () => {
  test('by its .onnx file brings what describes it, opens it, and writes down what came', async (t) => {
    const hub = await startRepository(t, { cuts: [1_000] });
    const { run, models } = openCommand(t, hub.url);
    const { code, out, err } = await run('pull lab/encoder/onnx/model.onnx --json');
    assert.equal(code, 0, err);
    const pulled = jsonOf<Readonly<Record<string, unknown>>>({ out });
    assert.deepEqual(
      [pulled['path'], pulled['is_verified'], pulled['was_there']],
      [join(models, 'encoder'), false, false],
    );
    assert.equal(hub.requests.filter(({ host, method }) => host === 'files' && method === 'GET').length, 2);
    assert.deepEqual(await readdir(models), ['encoder']);
    const record = JSON.parse(await readFile(join(models, 'encoder', 'nestor.json'), 'utf8')) as {
      readonly source: string;
      readonly files: readonly { readonly file: string; readonly sha256: string }[];
    };
    assert.equal(record.source, 'lab/encoder@main');
    for (const { file, sha256 } of record.files)
      assert.equal(sha256, sha256Of(await readFile(join(models, 'encoder', file))), file);
    const again = await run('pull lab/encoder/onnx/model.onnx');
    assert.match(again.out, /encoder: \d+\.\d kB, was there already, checksums verified\n/);
    const [listed] = jsonOf<readonly Readonly<Record<string, unknown>>[]>(await run('list --files --json'));
    assert.deepEqual(
      [listed?.['name'], listed?.['licence'], listed?.['decides_with']],
      ['encoder', 'mit', 'cosine'],
    );
    assert.equal((await run('rm encoder --yes')).code, 0);
    assert.deepEqual(await readdir(models), []);
  });

  test('of a GGUF file writes a record beside it, which goes with the file', async (t) => {
    const content = Buffer.from('GGUF and so on');
    const hub = await startHub(t, { repository: 'lab/models', file: 'q8/m.gguf', content });
    const { run, models } = openCommand(t, hub.url);
    assert.equal((await run('pull lab/models/q8/m.gguf')).code, 0);
    assert.deepEqual((await readdir(models)).toSorted(), ['m.gguf', 'm.gguf.json']);
    assert.match(await readFile(join(models, 'm.gguf.json'), 'utf8'), new RegExp(sha256Of(content)));
    assert.equal((await run('rm m --yes')).code, 0);
    assert.deepEqual(await readdir(models), []);
  });

  test('of a GGUF file takes no other file of its name away, and brings a new state of its own', async (t) => {
    const [first, second, newer] = ['one', 'two', 'three'].map((text) => Buffer.from(`GGUF ${text}`));
    const pullFrom = (repository: string, content = Buffer.from('GGUF one')) =>
      startHub(t, { repository, file: 'm.gguf', content });
    const { run, models } = openCommand(t, (await pullFrom('lab/one')).url);
    const held = () => readFile(join(models, 'm.gguf'));
    assert.equal((await run('pull lab/one/m.gguf')).code, 0);
    const refused = await run('pull lab/two/m.gguf', (await pullFrom('lab/two', second)).url);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /m\.gguf is there and is not what this pull brings; nestor models rm m\.gguf/);
    assert.deepEqual(await held(), first);
    assert.equal((await run('pull lab/one/m.gguf', (await pullFrom('lab/one', newer)).url)).code, 0);
    assert.deepEqual(await held(), newer);
    await writeFile(join(models, 'm.gguf.json'), '{}');
    assert.equal((await run('pull lab/one/m.gguf')).code, 1, 'whence it is was not written down');
    assert.deepEqual(await held(), newer);
  });

  async function start(t: TestContext, plan: Partial<PullPlan> = {}, script: Partial<HubScript> = {}) {
    const remote = await startRepository(t, { revision: 'abc', ...script });
    const folder = await temporaryFolder(t);
    const hub = openHub({ endpoint: remote.url, token: null, proxy: null });
    t.after(() => hub.close());
    const toFile = (file: string) => ({ file, size: null, sha256: null });
    const files = [...names, 'onnx/model.onnx'].map(toFile);
    const known = { name: 'enc', repository: 'lab/encoder', revision: 'abc', files, licence: 'MIT', ...plan };
    const progress: [number, number | null][] = [];
    const run = (more: Partial<ModelPull> = {}) =>
      pullModel(hub, {
        plan: known,
        folder,
        check: () => Promise.resolve(null),
        signal: new AbortController().signal,
        onProgress: (done, total) => void progress.push([done, total]),
        onRetry() {},
        retryMs: 1,
        ...more,
      });
    return { folder, remote, run, progress };
  }

  test('adds what the settings of its repository leave out, and tells progress over all files', async (t) => {
    const { folder, run, progress } = await start(t, {
      adds: { 'extra.json': { prompts: { query: 'q: ' } } },
    });
    const { size, files, unverified, licence } = await run();
    assert.deepEqual([unverified, licence], [names, 'MIT']);
    assert.equal(
      size,
      files.reduce((sum, file) => sum + file.size, 0),
    );
    assert.deepEqual(progress.at(-1), [size, null]);
    assert.deepEqual(JSON.parse(await readFile(join(folder, 'enc', 'extra.json'), 'utf8')), {
      prompts: { query: 'q: ' },
    });
  });

  test('refuses small files that differ from their known checksum, which the Hub does not tell', async (t) => {
    const file = { file: 'config.json', size: null, sha256: 'a'.repeat(64) };
    const { folder, run } = await start(t, { files: [file] });
    await assert.rejects(run(), (error: unknown) => {
      assert.ok(error instanceof PullError);
      assert.match(error.message, /The checksum is [0-9a-f]{64} in place of a{64}/);
      return true;
    });
    assert.ok(!(await readdir(folder)).includes('enc'));
  });

  test('of a model that cannot be used leaves nothing', async (t) => {
    const { folder, run } = await start(t);
    await assert.rejects(
      run({ check: () => Promise.resolve('the graph cannot be opened') }),
      /lab\/encoder was downloaded and cannot be used: the graph cannot be opened/,
    );
    assert.deepEqual(await readdir(folder), []);
  });

  test('that is stopped while the model is opened keeps what came', async (t) => {
    const { folder, run } = await start(t);
    const stopping = new AbortController();
    const check = () => {
      stopping.abort(new Error('stopped'));
      return Promise.reject(new Error('stopped'));
    };
    await assert.rejects(run({ signal: stopping.signal, check }), /stopped/);
    assert.ok((await readdir(join(folder, '.pulling', 'enc', 'onnx'))).includes('model.onnx'));
    assert.equal((await run()).wasThere, false);
  });

  test('never replaces another model of the same name, and brings a damaged one again only once it is gone', async (t) => {
    const { folder, run, remote } = await start(t);
    await run();
    const before = remote.requests.length;
    assert.equal((await run()).wasThere, true);
    assert.equal(remote.requests.length, before);
    await rm(join(folder, 'enc', 'tokenizer.json'));
    await assert.rejects(
      run(),
      /enc is there and is not what this pull brings; nestor models rm enc removes it/,
    );
    await rm(join(folder, 'enc'), { recursive: true });
    assert.equal((await run()).wasThere, false);
  });
});
