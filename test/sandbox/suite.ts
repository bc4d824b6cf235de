import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import type { SandboxResult } from '../../src/features/sandbox/runner.ts';
import { variationsOf } from '../support/rounds.ts';
import { text, tryRunner, type Tried } from './support.ts';

/** The fewest of which one account never has all. */
const runsMax = 2;

/** What every runner of the sandbox keeps. `runsAtOnce` are more than there are slots; every `step`th check is made. */
export function describeRunner(
  name: string,
  own: Readonly<Record<string, Check>>,
  { runsAtOnce = 20, step = 1 } = {},
): void {
  test(`${name}: the rules of every runner`, async (t) => {
    const tried = await tryRunner(name, t, { runsMax, waitingMax: 64 });
    if (tried === null) return;
    const some = [results, files, caps].flatMap((checks) => variationsOf(Object.entries(checks), step));
    const all = [endings(runsAtOnce), shares, own].flatMap((checks) => Object.entries(checks));
    for (const [title, check] of [...some, ...all]) await t.test(title, (inner) => check(tried, inner));
  });

  test(`${name}: a run beyond the queue is refused with a wait, and closing ends what runs`, async (t) => {
    const tried = await tryRunner(name, t, { runsMax: 1, waitingMax: 1 });
    if (tried === null) return;
    const stop = new AbortController();
    const long = [1, 2].map(() =>
      assert.rejects(tried.run('import time\nwhile True: time.sleep(0.01)', {}, {}, stop.signal), /enough/),
    );
    await assert.rejects(
      tried.run('print(1)'),
      (error) =>
        error instanceof Fault && error.code === 'service_unavailable' && (error.retryAfterMs ?? 0) > 0,
    );
    stop.abort(new Error('enough'));
    await Promise.all(long);
    assert.equal((await tried.run('print(1)')).stdout, '1\n');
    const endless = assert.rejects(tried.run('while True: pass'), /the server stops/);
    await tried.sandbox.close();
    await endless;
    assert.equal(tried.sandbox.current(), null);
  });
}

export type Check = (tried: Tried, t: TestContext) => Promise<void>;

/** The loops go on until they are told to end, so the other run cannot have waited for them. */
const shares: Readonly<Record<string, Check>> = {
  async 'endless loops of one account, as many as there are slots, leave one for the code of another'({
    run,
  }) {
    const stop = new AbortController();
    const ended: string[] = [];
    const endless = Array.from({ length: runsMax }, (_, index) =>
      run('while True: pass', {}, {}, stop.signal, 'greedy').catch(() => ended.push(`loop ${index}`)),
    );
    assert.equal((await run('print(1)', {}, {}, stop.signal, 'other')).stdout, '1\n');
    assert.deepEqual(ended, []);
    stop.abort(new Error('enough'));
    await Promise.all(endless);
  },
};

const results: Readonly<Record<string, Check>> = {
  async 'what is printed comes back, both streams apart, in any script'({ run }) {
    const result = await run('import sys\nprint("größe 日本 🦜")\nprint("wrong ü", file=sys.stderr)');
    assert.equal(result.stdout, 'größe 日本 🦜\n');
    assert.equal(result.stderr, 'wrong ü\n');
    assert.deepEqual([result.status, result.exitCode], ['completed', 0]);
    assert.ok(result.durationMs > 0);
  },

  async 'code runs as the main program in the working folder'({ run }) {
    const code = [
      'import os, sys',
      'print(__name__, os.getcwd(), len(sys.argv))',
      'import module',
      'print(module.answer)',
    ].join('\n');
    const result = await run(code, { files: [{ path: 'module.py', bytes: text('answer = 42') }] });
    assert.equal(result.stdout, '__main__ /work 1\n42\n');
  },

  async 'an exit code is told'({ run }) {
    const code = 'import sys\nsys.exit(3)';
    const result = await run(code);
    assert.deepEqual([result.status, result.exitCode], ['failed', 3]);
    const clean = await run('import sys\nsys.exit()');
    assert.deepEqual([clean.status, clean.exitCode], ['completed', 0]);
    const worded = await run('import sys\nsys.exit("no")');
    assert.deepEqual([worded.exitCode, worded.stderr], [1, 'no\n']);
  },

  async 'an exception is told with its line, and nothing of the sandbox'({ run }) {
    const { status, exitCode, stderr } = await run('x = 1\nraise ValueError("broken")');
    assert.deepEqual([status, exitCode], ['failed', 1]);
    assert.match(stderr, /main\.py", line 2, in <module>\n\s+raise ValueError\("broken"\)/);
    assert.match(stderr, /ValueError: broken\n$/);
    assert.equal(stderr.match(/File "/g)?.length, 1);
    const wrong = await run('def f(:');
    assert.deepEqual([wrong.status, wrong.exitCode], ['failed', 1]);
    assert.match(wrong.stderr, /SyntaxError/);
  },

  async 'there is nobody to ask'({ run }) {
    assert.match((await run('input("name? ")')).stderr, /EOFError/);
  },

  async 'asynchronous code runs'({ run }) {
    const code =
      'import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 7\nprint(asyncio.run(f()))';
    assert.equal((await run(code)).stdout, '7\n');
  },

  async 'the standard library is there'({ run }) {
    const code =
      'import csv, decimal, hashlib, io, json, re, sqlite3, statistics, zlib\nprint(statistics.mean([1, 2, 6]))';
    const { stdout, stderr } = await run(code);
    assert.equal(stdout, '3\n', stderr);
  },

  async 'nothing stays from one run to the next'({ run }) {
    await run(
      'open("/tmp/left", "w").write("x"); open("left", "w").write("x"); import builtins; builtins.left = 1',
    );
    const { stdout } = await run(
      'import os, builtins\nprint(os.path.exists("/tmp/left"), os.path.exists("left"), hasattr(builtins, "left"))',
    );
    assert.equal(stdout, 'False False False\n');
  },
};

const binary = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) & 0xff);

const files: Readonly<Record<string, Check>> = {
  async 'files go in and come back byte for byte; only new and changed ones do'({ run }) {
    const code = [
      'data = open("in/data.bin", "rb").read()',
      'import os',
      'os.makedirs("out/deep", exist_ok=True)',
      'open("out/deep/größe.bin", "wb").write(data[::-1])',
      'open("changed.txt", "a").write(" more")',
      'open("empty", "w")',
    ].join('\n');
    const result = await run(code, {
      files: [
        { path: 'in/data.bin', bytes: binary },
        { path: 'changed.txt', bytes: text('some') },
        { path: 'same.txt', bytes: text('same') },
      ],
    });
    assert.equal(result.stderr, '');
    const found = new Map(result.files.map(({ path, bytes }) => [path, Buffer.from(bytes)]));
    assert.deepEqual([...found.keys()].sort(), ['changed.txt', 'empty', 'out/deep/größe.bin']);
    assert.equal(found.get('changed.txt')?.toString(), 'some more');
    assert.deepEqual(found.get('out/deep/größe.bin'), Buffer.from(binary.toReversed()));
  },

  async 'files that are removed, moved or replaced by a folder are named'({ run }) {
    const code = [
      'import os',
      'os.remove("out")',
      'os.mkdir("out")',
      'open("out/new", "w").write("x")',
      'os.rename("old/name", "name")',
      'os.remove("last")',
    ].join('\n');
    const { files, gone, stderr } = await run(code, {
      files: ['out', 'old/name', 'last', 'same'].map((path) => ({ path, bytes: text('x') })),
    });
    assert.equal(stderr, '');
    assert.deepEqual(gone.toSorted(), ['last', 'old/name', 'out']);
    assert.deepEqual(files.map(({ path }) => path).sort(), ['name', 'out/new']);
  },

  async 'files of skills can be read, not written, and are not handed back'({ run }) {
    const code = [
      'print(open("skills/pdf/SKILL.md").read())',
      'try:',
      '    open("skills/pdf/SKILL.md", "w")',
      'except OSError as error:',
      '    print(type(error).__name__)',
      'import os',
      'os.chmod("skills/pdf", 0o755)',
      'open("skills/pdf/more", "w").write("x")',
    ].join('\n');
    const result = await run(code, { readOnlyFiles: [{ path: 'pdf/SKILL.md', bytes: text('how') }] });
    assert.equal(result.stdout, 'how\nPermissionError\n', result.stderr);
    assert.deepEqual(result.files, []);
  },

  async 'files after a failure come back as well'({ run }) {
    const { status, files } = await run('open("made", "w").write("x")\n1 / 0');
    assert.equal(status, 'failed');
    assert.deepEqual(
      files.map(({ path }) => path),
      ['made'],
    );
  },

  async 'too many, too large and badly named files are left out and counted'({ run }) {
    const code = [
      'for index in range(8): open(f"file{index}", "w").write("x")',
      'open("large", "wb").write(b"x" * 3000)',
      'open("line\\nbreak", "w").write("x")',
    ].join('\n');
    const { files, stderr } = await run(code, {}, { filesMax: 5, filesBytesMax: 2_000_000 });
    assert.equal(files.length, 5);
    assert.match(stderr, /^5 files were too many, too large or badly named/);
    const sized = await run(
      'for index in range(4): open(f"file{index}", "wb").write(b"x" * 900)',
      {},
      {
        filesBytesMax: 2_000,
      },
    );
    const total = sized.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(total > 0 && total <= 2_000);
  },

  async 'links are not followed'({ run }) {
    const code =
      'import os\nos.symlink("/etc/passwd", "link")\nos.symlink("/", "root")\nopen("file", "w").write("x")';
    assert.deepEqual(
      (await run(code)).files.map(({ path }) => path),
      ['file'],
    );
  },
};

const caps: Readonly<Record<string, Check>> = {
  async 'an endless loop ends when its processor time is over'({ run }) {
    const result = await run('while True: pass', {}, { cpuMs: 2_000 });
    assert.equal(result.status, 'timed_out');
    assert.deepEqual(result.files, []);
  },

  async 'a run that waits ends when its time is over'({ run }) {
    const code = 'import time\nprint("begun")\nwhile True: time.sleep(0.05)';
    const result = await run(code, {}, { wallMs: 8_000 });
    assert.deepEqual([result.status, result.exitCode], ['timed_out', 137]);
    assert.equal(result.stdout, 'begun\n');
    assert.match(result.stderr, /The time was over\.$/);
    assert.ok(result.durationMs >= 8_000);
  },

  async 'output over its cap is dropped and said so, and the rest of the run goes on'({ run }) {
    const result = await run('print("x" * 5000)\nopen("made", "w")', {}, { outputBytesMax: 1_000 });
    assert.equal(result.status, 'completed');
    assert.match(result.stdout, /^x{1000}\n\[4001 more bytes were dropped\]$/);
    assert.equal(result.files.length, 1);
  },

  async 'a flood of output ends the run'({ run }) {
    const code = 'while True: print("x" * 10000)';
    const result = await run(code, {}, { outputBytesMax: 1_000 });
    assert.equal(result.status, 'failed');
    assert.match(result.stderr, /Too much was written\.$/);
    assert.ok(result.stdout.length < 2_000);
  },

  async 'memory over its cap ends what takes it'({ run }) {
    const result = await run('kept = []\nwhile True: kept.append(bytearray(10_000_000))');
    assert.equal(result.status, 'failed');
    assert.match(result.stderr, /MemoryError|The memory limit was reached|out of memory/i);
  },
};

const endings = (runsAtOnce: number): Readonly<Record<string, Check>> => ({
  async 'an aborted run rejects with the reason at once'({ run }) {
    const stop = new AbortController();
    const running = run('while True: pass', {}, {}, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort(new Error('gone'));
    // A run that went on to its own limits, a minute or two later, would end and not reject.
    await assert.rejects(running, /gone/);
    await assert.rejects(run('print(1)', {}, {}, AbortSignal.abort(new Error('before'))), /before/);
  },

  async [`${runsAtOnce} runs at the same time each get their own answer`]({ run }) {
    const all = await Promise.all(
      Array.from({ length: runsAtOnce }, (_, index) =>
        run(`open("n", "w").write("${index}")\nprint(${index})`).then((result): [number, SandboxResult] => [
          index,
          result,
        ]),
      ),
    );
    for (const [index, { stdout, files }] of all) {
      assert.equal(stdout, `${index}\n`);
      assert.deepEqual(
        files.map(({ bytes }) => Buffer.from(bytes).toString()),
        [String(index)],
      );
    }
  },
});
