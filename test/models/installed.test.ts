import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { jsonOf, openConsole, type RunOptions } from '../commands/support.ts';
import { writeDecisionFile } from '../support/gguf-decisions.ts';
import { writeTestModel } from '../support/gguf.ts';
import { writeDecider } from '../support/onnx-deciders.ts';
import { writeOnnxModel } from '../support/onnx.ts';
import { longTest, variationsOf } from '../support/rounds.ts';

/** Nothing outside is looked for. */
const env = { NESTOR_DETECT: 'false', NESTOR_DECISIONS_ENGINE: 'words' };

interface Listed {
  readonly name: string;
  readonly form: string;
  readonly does: readonly string[];
  readonly decides_with: string | null;
  readonly problem: string | null;
  readonly licence: string | null;
  readonly used_by: readonly string[];
  readonly size_bytes: number;
}

function open(t: TestContext) {
  const console = openConsole(t);
  const models = join(console.folder, 'data', 'models');
  const run = (line: string, more: RunOptions = {}) =>
    console.nestor(['models', ...line.split(' ')], { ...more, env: { ...env, ...more.env } });
  const list = async (more: RunOptions = {}) =>
    jsonOf<readonly Listed[]>(await run('list --files --json', more));
  return { ...console, models, run, list };
}

/** Names in the folder of models, also those that begin with a dot. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.toSorted();
}

suite('nestor models list --files', () => {
  test('says what each model is by what is in it, its size, its licence, and which key uses it', async (t) => {
    const { models, list, run } = open(t);
    await mkdir(models, { recursive: true });
    await copyFile(await writeTestModel(), join(models, 'chat.gguf'));
    await copyFile(await writeTestModel({ shape: 'bert', pooling: 1 }), join(models, 'vectors.gguf'));
    await copyFile(await writeTestModel({ shape: 'bert', pooling: 4 }), join(models, 'ranks.gguf'));
    await writeFile(join(models, 'late.gguf.0123456789abcdef.part'), 'GGUF');
    await writeOnnxModel(t, {}, join(models, 'encoder'));
    await writeFile(
      join(models, 'encoder', 'README.md'),
      '---\ntags: [a]\nlicense: "apache-2.0"\n---\nlicense: no\n',
    );
    const labels = ['contradiction', 'neutral', 'entailment'];
    await writeOnnxModel(t, { output: 'logits', labels, pooling: null }, join(models, 'nli'));
    await writeOnnxModel(
      t,
      { output: 'logits', labels: ['cat', 'dog'], pooling: null },
      join(models, 'pets'),
    );
    await mkdir(join(models, 'notes'));
    const paths = { NESTOR_DECISIONS_PATH: join(models, 'nli'), NESTOR_EMBEDDINGS_ENGINE: 'onnx' };
    const rows = await list({ env: { ...paths, NESTOR_DETECT: 'true' } });
    const facts = rows.map(({ name, form, does, decides_with, licence, used_by }) => [
      name,
      form,
      does,
      decides_with,
      licence,
      used_by,
    ]);
    assert.deepEqual(facts, [
      ['chat.gguf', 'gguf', ['decides', 'generates'], 'local', null, ['models (found)']],
      ['encoder', 'onnx', ['embeds', 'decides'], 'cosine', 'apache-2.0', ['embeddings (found)']],
      ['late.gguf.0123456789abcdef.part', 'part', [], null, null, []],
      ['nli', 'onnx', ['decides'], 'pairs', null, ['decisions.path']],
      ['pets', 'onnx', [], null, null, []],
      ['ranks.gguf', 'gguf', [], null, null, []],
      ['vectors.gguf', 'gguf', ['embeds'], null, null, []],
    ]);
    assert.deepEqual(
      rows.flatMap(({ problem }) => problem ?? []),
      [
        'a download that was broken off; the same pull continues it',
        'no adapter asks a classifier with 2 outputs and the labels cat, dog',
        'the file is a ranking model and no embedding model',
      ],
    );
    assert.equal(rows[0]?.size_bytes, (await stat(join(models, 'chat.gguf'))).size);
    // The list of what can be asked ends with the files.
    const { out } = await run('list');
    assert.match(out, /^MODEL .*\n[^]*\n\nNAME .*\n[^]*^encoder +ONNX +embeds, decides \(cosine\) +\d/m);
  });
});

suite('nestor models import', () => {
  test('takes in a file and a folder, opens them, and says what they are', async (t) => {
    const { models, run, list, folder } = open(t);
    await copyFile(await writeTestModel(), join(folder, 'my-chat.gguf'));
    const file = await run('import my-chat.gguf');
    assert.deepEqual([file.code, file.err], [0, '']);
    assert.match(file.out, /my-chat\.gguf: \d+\.\d kB, decides \(local\), generates$/m);
    await writeOnnxModel(t, {}, join(folder, 'source'));
    await writeFile(join(folder, 'source', 'pytorch_model.bin'), 'for another runtime');
    const imported = await run('import source --name enc --json');
    assert.equal(imported.code, 0, imported.err);
    assert.deepEqual(jsonOf<Listed>(imported).does, ['embeds', 'decides']);
    assert.deepEqual(await namesIn(models), ['enc', 'my-chat.gguf']);
    assert.ok(!(await namesIn(join(models, 'enc'))).includes('pytorch_model.bin'));
    assert.ok((await list()).every(({ problem }) => problem === null));
  });

  test('takes what links lead to, as in the cache of the Hub, and one graph of several where it is named', async (t) => {
    const { models, run, folder } = open(t);
    const whole = await writeOnnxModel(t);
    const source = join(folder, 'snapshot');
    await mkdir(join(source, 'onnx'), { recursive: true });
    for (const name of ['config.json', 'tokenizer.json', '1_Pooling'])
      await symlink(join(whole, name), join(source, name));
    for (const name of ['model.onnx', 'model_int8.onnx'])
      await symlink(join(whole, 'model.onnx'), join(source, 'onnx', name));
    const several = await run('import snapshot');
    assert.equal(several.code, 1);
    assert.match(
      several.err,
      /snapshot: it holds several graphs \(model\.onnx, model_int8\.onnx\); name the file\n$/,
    );
    const one = await run('import snapshot/onnx/model_int8.onnx');
    assert.equal(one.code, 0, one.err);
    assert.deepEqual(await namesIn(join(models, 'snapshot', 'onnx')), ['model_int8.onnx']);
    assert.ok((await stat(join(models, 'snapshot', 'tokenizer.json'))).isFile());
    await rm(whole, { recursive: true });
    assert.equal((await run('test snapshot')).code, 0);
  });

  test('of what cannot be used leaves nothing and says what is missing', async (t) => {
    const { models, run, folder } = open(t);
    const spoilt = async (name: string, spoil: (path: string) => Promise<unknown>) => {
      await writeOnnxModel(t, {}, join(folder, name));
      await spoil(join(folder, name));
    };
    await spoilt('cut', (path) => truncate(join(path, 'model.onnx'), 5_000));
    await spoilt('bare', (path) => rm(join(path, 'tokenizer.json')));
    await copyFile(await writeTestModel(), join(folder, 'cut.gguf'));
    await truncate(join(folder, 'cut.gguf'), 100_000);
    await writeFile(join(folder, 'page.gguf'), '<html>');
    await mkdir(join(folder, 'empty'));
    const cases: Readonly<Record<string, RegExp>> = {
      cut: /^nestor: \S+\/cut: the graph cannot be opened: .*\n$/,
      bare: /^nestor: \S+\/bare: tokenizer\.json is missing in \S+\/bare\n$/,
      'cut.gguf': /^nestor: \S+\/cut\.gguf: the file is truncated.*\n$/,
      'page.gguf': /^nestor: \S+\/page\.gguf: the file is not a GGUF file\n$/,
      empty: /^nestor: \S+\/empty: no graph lies in it: .*\n$/,
      absent: /^nestor: \S+\/absent: there is no such file or folder\n$/,
    };
    for (const [source, pattern] of Object.entries(cases)) {
      const { code, out, err } = await run(`import ${source}`);
      assert.deepEqual([code, out], [1, ''], source);
      assert.match(err, pattern);
      assert.doesNotMatch(err, /staging/);
      assert.deepEqual(await namesIn(models), [], source);
    }
  });

  test('never replaces a model, and takes no name that leads elsewhere', async (t) => {
    const { models, run, folder } = open(t);
    await writeOnnxModel(t, {}, join(folder, 'enc'));
    assert.equal((await run('import enc')).code, 0);
    assert.match((await run('import enc')).err, /enc is there already; nestor models rm enc removes it/);
    for (const name of ['../enc2', '.hidden', 'enc.gguf', 'a/b'])
      assert.match((await run(`import enc --name ${name}`)).err, /is no name for a folder of a model/);
    assert.deepEqual(await namesIn(models), ['enc']);
  });

  test('can link files, and clears away what a process left that was killed', async (t) => {
    const { models, run, folder } = open(t);
    const source = await writeOnnxModel(t, {}, join(folder, 'enc'));
    // No process has this number.
    await mkdir(join(models, '.staging', '4194999', 'half'), { recursive: true });
    assert.equal((await run('import enc --link')).code, 0);
    const inode = async (model: string) => (await stat(join(model, 'model.onnx'))).ino;
    assert.equal(await inode(join(models, 'enc')), await inode(source));
    assert.deepEqual(await namesIn(models), ['enc']);
  });
});

suite('nestor models rm', () => {
  async function withModel(t: TestContext) {
    const opened = open(t);
    await writeOnnxModel(t, {}, join(opened.models, 'enc'));
    return opened;
  }

  test('removes a model whole, once a person or --yes has said so', async (t) => {
    const { models, run } = await withModel(t);
    const piped = await run('rm enc');
    assert.deepEqual([piped.code, piped.out], [2, '']);
    assert.match(piped.err, /enc was not removed; --yes removes it unasked/);
    const declined = await runAtTerminal(run, 'no\n');
    assert.equal(declined.code, 2);
    assert.match(declined.err, /^Remove \S+\/models\/enc \(\d+\.\d kB\)\? \[y\/N\] /);
    assert.deepEqual(await namesIn(models), ['enc']);
    assert.equal((await runAtTerminal(run, 'y\n')).code, 0);
    assert.deepEqual(await namesIn(models), []);
  });

  test('as JSON says what it removed; a name that is not there lists those that are', async (t) => {
    const { models, run } = await withModel(t);
    const unknown = await run('rm other --yes');
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /No model "other" lies in \S+; there are enc\./);
    const removed = jsonOf<Readonly<Record<string, unknown>>>(await run('rm enc --yes --json'));
    assert.deepEqual(
      [removed['name'], removed['path'], removed['removed']],
      ['enc', join(models, 'enc'), true],
    );
    assert.match((await run('rm enc --yes')).err, /there is none\./);
  });

  test('refuses what a key of the configuration names, unless it is forced', async (t) => {
    const { models, run } = await withModel(t);
    const named = { env: { NESTOR_EMBEDDINGS_PATH: join(models, 'enc', 'model.onnx') } };
    const refused = await run('rm enc --yes', named);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /enc is what embeddings\.path names; --force removes it all the same/);
    assert.deepEqual(await namesIn(models), ['enc']);
    assert.equal((await run('rm enc --yes --force', named)).code, 0);
    assert.deepEqual(await namesIn(models), []);
  });

  function runAtTerminal(run: ReturnType<typeof open>['run'], stdin: string) {
    return run('rm enc', { stdin, isTyped: true });
  }
});

suite('nestor models test of what lies in the data folder', () => {
  longTest('opens each model and tells what it answers, its time and its memory', async (t) => {
    const { models, run } = open(t);
    await writeOnnxModel(t, {}, join(models, 'enc'));
    const labels = ['contradiction', 'neutral', 'entailment'];
    await writeOnnxModel(t, { output: 'logits', labels, pooling: null }, join(models, 'nli'));
    await copyFile(await writeTestModel(), join(models, 'chat.gguf'));
    await copyFile(await writeTestModel({ shape: 'bert', pooling: 1 }), join(models, 'vectors.gguf'));
    await writeFile(join(models, 'broken.gguf'), 'GGUF');
    const { code, out } = await run('test enc nli chat vectors.gguf broken --json', {
      clock: systemClock,
    });
    assert.equal(code, 1);
    const rows = JSON.parse(out) as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      rows.map(({ name, is_ok: isOk }) => [name, isOk]),
      [
        ['enc', true],
        ['nli', true],
        ['chat.gguf', true],
        ['vectors.gguf', true],
        ['broken.gguf', false],
      ],
    );
    const similarity =
      /^similarity of two texts that mean the same -?[01]\.\d\d, of two that do not -?[01]\.\d\d/;
    const decision = /"Where is my parcel\?" is about delivery 0\.\d\d, payment 0\.\d\d$/;
    const [enc = {}, nli = {}, chat = {}, vectors = {}, broken = {}] = rows;
    assert.match(String(enc['answer']), similarity);
    assert.match(String(enc['answer']), decision);
    assert.match(String(nli['answer']), decision);
    assert.match(String(vectors['answer']), similarity);
    assert.equal(typeof chat['answer'], 'string');
    assert.match(String(broken['problem']), /truncated inside its header/);
    for (const { memory_bytes: bytes, open_ms: openMs, answer_ms: answerMs } of rows.slice(0, -1))
      assert.ok(Number(bytes) > 0 && Number(openMs) > 0 && Number.isInteger(answerMs));
  });

  test('asks decision models of each form for a decision', async (t) => {
    const { models, run } = open(t);
    // A process tries each, and onnx-deciders.test.ts opens all of them.
    const kinds = variationsOf(['markers', 'labels', 'late', 'pointers', 'segments'] as const, 5);
    for (const kind of kinds) await writeDecider(t, { kind, folder: join(models, kind) });
    await writeDecisionFile('nimble', await writeTestModel(), join(models, 'nimble.gguf'));
    const { code, out } = await run(`test ${kinds.join(' ')} nimble.gguf --json`);
    assert.equal(code, 0, out);
    const rows = JSON.parse(out) as readonly Readonly<Record<string, unknown>>[];
    for (const { answer } of rows)
      assert.match(
        String(answer),
        /"Where is my parcel\?" is about delivery [01]\.\d\d, payment [01]\.\d\d$/,
      );
    assert.equal(rows.length, kinds.length + 1);
  });

  test('does not mix with models of providers', async (t) => {
    const { models, run } = open(t);
    await writeOnnxModel(t, {}, join(models, 'enc'));
    const { code, err } = await run('test enc embedded/extractive');
    assert.equal(code, 2);
    assert.match(err, /name them in a command of their own/);
  });
});
