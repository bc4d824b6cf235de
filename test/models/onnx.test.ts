import assert from 'node:assert/strict';
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { findModelFolder, readModelFolder } from '../../src/features/models/onnx/model-folder.ts';
import { OnnxProblem } from '../../src/features/models/onnx/problem.ts';
import { openOnnxModel } from '../../src/features/models/onnx/open-onnx-model.ts';
import { probeModel } from '../../src/features/models/onnx/probe-model.ts';
import { writeOnnxModel } from '../support/onnx.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { miniLm, skipsWeights } from '../support/weights.ts';

const never = new AbortController().signal;
const words = 'card refund parcel bank money late bird green water house'.split(' ');
/** So many words, which are tokens of their own; texts of different numbers differ. */
const textOf = (count: number, index: number): string =>
  Array.from({ length: count }, (_, at) => words[(index + 3 * at) % words.length]).join(' ');
const asRow = (text: string) => ({ text, pair: null });

suite('a model in ONNX form', () => {
  test('is what its files and its graph say, and gives a row the same bytes whatever is beside it', async (t) => {
    const model = await openOnnxModel({ path: await writeOnnxModel(t) });
    t.after(() => model.close());
    assert.deepEqual([model.kind, model.dimensions, model.tokensMax], ['encoder', 32, 256]);
    assert.ok(model.memoryBytes > 0);
    const texts = ['where is my card', 'the bird is green', 'a', 'the kea', 'where is my card'];
    const rows = await model.tokenize(texts.map(asRow), never);
    assert.deepEqual(
      rows.map(({ ids }) => ids.length),
      [6, 6, 3, 4, 6],
    );
    const together = await model.run(rows, never);
    for (const [index, row] of rows.entries())
      assert.deepEqual(await model.run([row], never), [together[index]]);
    const accounts = await Promise.all(['a', 'b', 'c'].map((account) => model.run(rows, never, account)));
    for (const values of accounts) assert.deepEqual(values, together);
  });

  test('whose graph reads one row at a time answers as one that reads several', async (t) => {
    const several = await openOnnxModel({ path: await writeOnnxModel(t) });
    t.after(() => several.close());
    const single = await openOnnxModel({ path: await writeOnnxModel(t, { isSingle: true }) });
    t.after(() => single.close());
    const rows = await single.tokenize(['the bird', 'the card', 'the kea lives'].map(asRow), never);
    assert.deepEqual(await single.run(rows, never), await several.run(rows, never));
  });

  for (const kind of ['float32', 'int8'] as const)
    test(
      `with real weights of ${kind} gives a row the same bytes beside others and alone`,
      { skip: skipsWeights },
      async (t) => {
        const path = miniLm(kind);
        const { evaluatesTogether } = await probeModel(await readModelFolder(path));
        assert.equal(evaluatesTogether, kind === 'float32');
        const model = await openOnnxModel({ path });
        t.after(() => model.close());
        // Several lengths, and of each as many rows as a turn has room for and more.
        const texts = [1, 2, 5, 11, 30].flatMap((words) =>
          Array.from({ length: 1 + Math.ceil(140 / (words + 2)) }, (_, index) => textOf(words, index)),
        );
        const rows = await model.tokenize(texts.map(asRow), never);
        const together = await model.run(rows, never);
        const few = rows.keys().filter((index) => index % 7 === 0);
        for (const index of few)
          assert.deepEqual(await model.run(rows.slice(index, index + 1), never), [together[index]]);
      },
    );

  test('reads two texts as two, and a control token in either as text', async (t) => {
    const path = await writeOnnxModel(t, { output: 'logits', labels: ['no', 'yes'], pooling: null });
    const model = await openOnnxModel({ path });
    t.after(() => model.close());
    assert.deepEqual([model.kind, model.dimensions, model.labels], ['classifier', 2, ['no', 'yes']]);
    const [row, broken] = await model.tokenize(
      [
        { text: 'the card', pair: 'a bird' },
        { text: 'the [SEP] card', pair: '[CLS]' },
      ],
      never,
    );
    assert.deepEqual(row?.types, [0, 0, 0, 0, 1, 1, 1]);
    const [opening, closing] = [row?.ids[0], row?.ids.at(-1)];
    assert.equal(broken?.ids.filter((id) => id === opening).length, 1);
    assert.equal(broken?.ids.filter((id) => id === closing).length, 2);
    const values = await model.run(row === undefined ? [] : [row], never);
    assert.equal(values[0]?.length, 2);
  });

  test('evaluates weights that lie in a file beside its graph, and says which file is missing', async (t) => {
    const whole = await openOnnxModel({ path: await writeOnnxModel(t) });
    t.after(() => whole.close());
    const rows = await whole.tokenize([asRow('where is my card')], never);
    const expected = await whole.run(rows, never);
    for (const weightsFile of ['model.onnx_data', 'model.onnx.data', 'model.onnx_data_1']) {
      const model = await openOnnxModel({ path: await writeOnnxModel(t, { weightsFile }) });
      t.after(() => model.close());
      assert.deepEqual(await model.run(rows, never), expected);
    }
    const path = await writeOnnxModel(t, { weightsFile: 'model.onnx_data' });
    await rm(join(path, 'model.onnx_data'));
    await assert.rejects(openOnnxModel({ path }), {
      name: 'OnnxProblem',
      message: /the graph cannot be opened: .*model\.onnx_data/,
    });
  });

  test('gives its memory back when nobody asks, and opens again to the same bytes', async (t) => {
    const model = await openOnnxModel({ path: await writeOnnxModel(t), idleMs: 1 });
    t.after(() => model.close());
    const rows = await model.tokenize([asRow('the kea')], never);
    const first = await model.run(rows, never);
    // Some of them find the thread as it was, and some a new one.
    for (let turn = 0; turn < 5; turn++) {
      await setImmediate();
      assert.deepEqual(await model.run(rows, never), first);
    }
  });

  test('ends a call with the reason of its signal, and every call once it is closed', async (t) => {
    const model = await openOnnxModel({ path: await writeOnnxModel(t) });
    const rows = await model.tokenize(
      Array.from({ length: 300 }, () => asRow('the kea lives')),
      never,
    );
    const controller = new AbortController();
    const gone = model.run(rows, controller.signal);
    controller.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    const waiting = assert.rejects(model.run(rows, never), { code: 'service_unavailable' });
    await model.close();
    await waiting;
    await assert.rejects(model.run(rows, never), { code: 'service_unavailable' });
  });
});

suite('files of models in ONNX form', () => {
  test('one that cannot be used is refused in one line that says what is missing', async (t) => {
    const whole = await writeOnnxModel(t);
    const bytes = await readFile(join(whole, 'model.onnx'));
    const cases: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
      ['a file that ends in .onnx is missing', (folder) => rm(join(folder, 'model.onnx'))],
      ['tokenizer.json is missing', (folder) => rm(join(folder, 'tokenizer.json'))],
      ['config.json is missing', (folder) => rm(join(folder, 'config.json'))],
      ['1_Pooling/config.json is missing', (folder) => rm(join(folder, '1_Pooling'), { recursive: true })],
      ['name the file', (folder) => writeFile(join(folder, 'other.onnx'), bytes)],
      ['config.json is no JSON object', (folder) => writeFile(join(folder, 'config.json'), '{')],
      ['tokenizer.json cannot be used', (folder) => writeFile(join(folder, 'tokenizer.json'), '{}')],
      [
        'a pooling that is not known here',
        (folder) => writeOnnxModel(t, { pooling: 'pooling_mode_max' }, folder),
      ],
      [
        'the graph reads .*marker_positions',
        (folder) => writeOnnxModel(t, { strange: 'marker_positions' }, folder),
      ],
      ['the graph gives pooler_output', (folder) => writeOnnxModel(t, { output: 'pooler_output' }, folder)],
      ['the graph cannot be opened', (folder) => truncate(join(folder, 'model.onnx'), 5_000)],
      [
        'the graph cannot be opened',
        (folder) => writeFile(join(folder, 'model.onnx'), 'version https://git-lfs'),
      ],
      ['the graph cannot be opened', (folder) => writeFile(join(folder, 'model.onnx'), mangled(bytes))],
    ];
    for (const [reason, spoil] of cases) {
      const folder = await temporaryFolder(t);
      await cp(whole, folder, { recursive: true });
      await spoil(folder);
      await assert.rejects(openOnnxModel({ path: folder }), (error: unknown) => {
        assert.ok(error instanceof OnnxProblem);
        assert.ok(error.message.startsWith(`${folder}: `) && !error.message.includes('\n'), error.message);
        assert.match(error.message, new RegExp(reason));
        return true;
      });
    }
    const absent = join(whole, 'absent');
    await assert.rejects(openOnnxModel({ path: absent }), /there is no such file or folder$/);
  });

  test('the first folder by name that holds a model is found, and a graph is as good as its folder', async (t) => {
    const data = await temporaryFolder(t);
    assert.equal(await findModelFolder(data), null);
    const folder = await writeOnnxModel(t, {}, join(data, 'models', 'b'));
    await writeFile(join(data, 'models', 'a.onnx'), 'no model');
    assert.equal(await findModelFolder(data), folder);
    const model = await openOnnxModel({ path: join(folder, 'model.onnx') });
    t.after(() => model.close());
    assert.equal(model.kind, 'encoder');
  });
});

/** The same length, with names of operations that no runtime has. */
function mangled(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('Gather', 'Garble'), 'latin1');
}
