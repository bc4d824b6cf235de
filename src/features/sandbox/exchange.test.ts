import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromReport, toInput } from './exchange.ts';
import type { SandboxLimits } from './runner.ts';

const limits: SandboxLimits = {
  wallMs: 1_000,
  cpuMs: 1_000,
  memoryBytesMax: 1_000,
  outputBytesMax: 1_000,
  filesBytesMax: 1_000,
  filesMax: 3,
  processesMax: 4,
};

interface ReportFile {
  readonly path: unknown;
  readonly size: unknown;
}

function report(files: readonly ReportFile[], body = '', over: object = {}): Buffer {
  const head = { exit: 0, out_of_time: false, left_out: 0, gone: [], files, ...over };
  return Buffer.from(`${JSON.stringify(head)}\n${body}`);
}

test('a supervisor is told the code, its limits and the files in one piece', () => {
  const input = toInput(
    {
      language: 'python',
      code: 'print("ü")',
      files: [{ path: 'a/b', bytes: Uint8Array.of(10, 1) }],
      readOnlyFiles: [{ path: 'pdf/SKILL.md', bytes: Uint8Array.of(2) }],
    },
    limits,
  );
  const end = input.indexOf('\n');
  assert.deepEqual(JSON.parse(input.subarray(0, end).toString()), {
    language: 'python',
    code: 'print("ü")',
    files: [
      { path: 'a/b', size: 2 },
      { path: 'skills/pdf/SKILL.md', size: 1 },
    ],
    files_max: 3,
    files_bytes_max: 1_000,
    processes_max: 4,
  });
  assert.deepEqual([...input.subarray(end + 1)], [10, 1, 2]);
});

test('an honest report is read with its files', () => {
  const files = [
    { path: 'größe/日本', size: 2 },
    { path: '.hidden', size: 1 },
  ];
  const read = fromReport(
    report(files, 'abc', { exit: 3, out_of_time: true, left_out: 2, gone: ['old'] }),
    limits,
  );
  assert.deepEqual(read, {
    exitCode: 3,
    isOutOfTime: true,
    filesLeftOut: 2,
    gone: ['old'],
    files: [
      { path: 'größe/日本', bytes: Uint8Array.from(Buffer.from('ab')) },
      { path: '.hidden', bytes: Uint8Array.from(Buffer.from('c')) },
    ],
  });
});

const badPaths = [
  '../x',
  'a/../x',
  '/etc/passwd',
  'a//b',
  'a/',
  '.',
  '..',
  '',
  'a/./b',
  'a\\b',
  'new\nline',
  'nul\0',
  '\u{7f}',
  '\ud800',
  'skills',
  'skills/pdf/SKILL.md',
  'x'.repeat(256),
];
for (const path of badPaths)
  test(`a file named ${JSON.stringify(path.slice(0, 20))} is left out, and the others stay`, () => {
    const files = [
      { path, size: 1 },
      { path: 'good', size: 1 },
    ];
    const read = fromReport(report(files, 'ab'), limits);
    assert.equal(read?.filesLeftOut, 1);
    assert.deepEqual(
      read.files.map((file) => [file.path, Buffer.from(file.bytes).toString()]),
      [['good', 'b']],
    );
  });

const forged: Readonly<Record<string, Buffer | null>> = {
  'nothing at all': null,
  'no line': Buffer.from('{}'),
  'no JSON': Buffer.from('hello\n'),
  null: Buffer.from('null\n'),
  'no exit code': report([], '', { exit: 'zero' }),
  'files that are no list': report([], '', { files: { length: 1 } }),
  'a negative number of files left out': report([], '', { left_out: -1 }),
  'no list of what is gone': report([], '', { gone: 'all' }),
  'more files than allowed': report(
    Array.from({ length: 4 }, (_, index) => ({ path: `f${index}`, size: 0 })),
  ),
  'a negative size': report([{ path: 'a', size: -1 }], 'a'),
  'a size beyond what came': report([{ path: 'a', size: 9 }], 'a'),
  'a size that is no number': report([{ path: 'a', size: '1' }], 'a'),
  'bytes that belong to no file': report([{ path: 'a', size: 1 }], 'ab'),
  'a file without a name': report([{ path: null, size: 1 }], 'a'),
};
for (const [name, bytes] of Object.entries(forged))
  test(`a report with ${name} is refused`, () => assert.equal(fromReport(bytes, limits), null));

test('no report makes reading throw or hands out more than came', () => {
  fc.assert(
    fc.property(fc.json(), fc.uint8Array({ maxLength: 200 }), (line, bytes) => {
      const read = fromReport(Buffer.concat([Buffer.from(`${line}\n`), bytes]), limits);
      const total = read?.files.reduce((sum, file) => sum + file.bytes.length, 0) ?? 0;
      assert.ok(total <= bytes.length);
    }),
  );
});
