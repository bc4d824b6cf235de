import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { openLocalEngine } from '../../src/features/decisions/engines/local/index.ts';
import { writeTestModel, type TestModel } from '../support/gguf.ts';
import { noulOf, stateOf } from '../support/gguf-questions.ts';
import { roundsOf } from '../support/rounds.ts';
import { hangMs } from '../support/until.ts';

const never = new AbortController().signal;

suite('the local engine, files that cannot be used', () => {
  let folder: string;
  let whole: Buffer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nestor-local-'));
    whole = await readFile(await writeTestModel());
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function problemOf(content: Buffer | string): Promise<string> {
    const path = join(folder, 'model.gguf');
    await writeFile(path, content);
    return problemAt(path);
  }

  /** The engine is there, down, and every call is a 503 that tells callers nothing of the file. */
  async function problemAt(path: string): Promise<string> {
    const engine = await openLocalEngine({ path, threads: 1 });
    const { problem } = engine;
    assert.ok(problem !== null && problem.startsWith(`${path}: `), String(problem));
    assert.ok(!problem.includes('\n'), 'one line');
    assert.equal(engine.health(), 'down');
    const refusal = { code: 'service_unavailable', message: 'The local model could not be loaded.' };
    await assert.rejects(engine.score(stateOf('x'), [noulOf('Is it?')], never), refusal);
    await assert.rejects(engine.countTokens(stateOf('x'), [noulOf('Is it?')], never), refusal);
    await engine.close();
    return problem.slice(path.length + 2);
  }

  const made = async (model: TestModel) => problemAt(await writeTestModel(model));

  test('absent, empty, a folder, something else', async () => {
    assert.equal(await problemAt(join(folder, 'absent.gguf')), 'the file does not exist');
    assert.equal(await problemOf(''), 'the file is empty');
    assert.equal(await problemAt(folder), 'it is not a file');
    assert.equal(await problemOf('<!doctype html><title>404</title>'), 'the file is not a GGUF file');
    assert.equal(await problemOf(Buffer.alloc(4_096)), 'the file is not a GGUF file');
  });

  test('a Git LFS pointer', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
    assert.equal(await problemOf(pointer), 'the file is not a GGUF file');
  });

  test('another version of the format', async () => {
    for (const version of [0, 1, 4, 50_331_648]) {
      const changed = Buffer.from(whole);
      changed.writeUInt32LE(version, 4);
      assert.equal(await problemOf(changed), `GGUF version ${version} is not supported`);
    }
  });

  test('truncated anywhere', async () => {
    for (let length = 4; length < whole.length; length += Math.ceil(whole.length / roundsOf(20, 60))) {
      assert.match(await problemOf(whole.subarray(0, length)), /^the file is truncated/);
    }
    const short = await problemOf(whole.subarray(0, -1));
    assert.equal(short, `the file is truncated: ${whole.length - 1} of ${whole.length} bytes are there`);
  });

  test('counts and lengths that lie', async () => {
    for (const at of [8, 16, 24]) {
      for (const value of [2n ** 63n, 2n ** 40n, 2n ** 64n - 1n]) {
        const changed = Buffer.from(whole);
        changed.writeBigUInt64LE(value, at);
        assert.match(await problemOf(changed), /^the file is truncated inside its header/);
      }
    }
  });

  test('an architecture that the runtime does not know', async () => {
    assert.match(await made({ architecture: 'nonesuch' }), /nonesuch|Failed to load model/);
  });

  test('a decision model, whose head the runtime does not evaluate', async () => {
    assert.match(
      await made({ decision: 'kev' }),
      /^the file is a decision model of the type "kev", .* with llama-server/,
    );
  });

  test('a decision model that does not say how it is asked', async () => {
    assert.match(
      await made({ decision: 'nimble' }),
      /^the file is a decision model without the template `systemone`/,
    );
  });

  test('a template that does not parse', async () => {
    assert.notEqual(await made({ template: 'broken' }), '');
  });

  // In a process of its own: what this is about is that native code ends the process.
  test('flipped bytes in the header never end the process', async () => {
    const script = new URL('../support/gguf-flips.ts', import.meta.url).pathname;
    const rounds = String(roundsOf(10, 40));
    const { stdout } = await promisify(execFile)(process.execPath, [script, folder, rounds], {
      timeout: hangMs,
    });
    assert.match(stdout, /^done \d+ \d+$/m);
  });
});

suite('the local engine without its runtime', () => {
  test('says in one line how to get it', async () => {
    const path = await writeTestModel();
    const hide = `data:text/javascript,${encodeURIComponent(`
      import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        if (name === 'node-llama-cpp') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(name, context);
      } });`)}`;
    const engine = new URL('../../src/features/decisions/engines/local/index.ts', import.meta.url).href;
    const code = `const { openLocalEngine } = await import(${JSON.stringify(engine)});
      console.log((await openLocalEngine({ path: ${JSON.stringify(path)} })).problem);`;
    const args = ['--import', hide, '--input-type=module', '-e', code];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.equal(
      stdout.trim(),
      `${path}: node-llama-cpp is not installed; npm install node-llama-cpp@3.22.1 adds it`,
    );
  });
});
