import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { roundsOf } from '../support/rounds.ts';
import { readExamples, readFences, type Example } from './examples.ts';
import { readGuide, root } from './pages.ts';
import { openEncoder, openProject, openReader, prepareData, python, type Reader } from './run-example.ts';

const guide = await readGuide();
const pages = guide.map(({ file, text }) => ({ file, examples: readExamples(file, text) }));
const examples = pages.flatMap((page) => page.examples);
const prepared = await prepareData({ after });
const encoder = await openEncoder({ after });

/** Values as their types, so that what an engine estimates may differ from what a document shows. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
}

const estimates = new Set(['noul', 'probability', 'probabilities', 'confidence', 'score']);

/** Every estimate in a value, by its path: what an engine of fixed numbers answers is the same wherever it runs. */
function estimatesOf(value: unknown, path: string, isEstimate: boolean): [path: string, value: number][] {
  if (typeof value === 'number') return isEstimate ? [[path, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    estimatesOf(item, `${path}.${name}`, (isEstimate && name !== 'value') || estimates.has(name)),
  );
}

const missing = ['sh', 'curl'].filter(
  (name) => spawnSync(name, [name === 'sh' ? '-c' : '--version', ':']).error !== undefined,
);

/** Why an example cannot run here; false when it can. Nothing may be skipped where all of it is asked for. */
function skipOf({ language }: Example): string | false {
  if (process.env['NESTOR_TEST_ALL'] === '1') return false;
  if (language === 'sh' && missing.length > 0) return `needs ${missing.join(' and ')}`;
  if (language === 'python' && python === undefined) return 'needs NESTOR_TEST_PYTHON';
  return false;
}

test('the documents show shell, TypeScript and Python examples', () => {
  for (const language of ['sh', 'ts', 'python'])
    assert.ok(examples.some((example) => example.language === language));
});

/**
 * More than half of what all pages cost, for commands and clients that test/commands, test/evaluation and test/clients look at one by
 * one. Whoever changes one runs it with NESTOR_TEST_LONG=1, as the run does that decides whether a change lands.
 */
const isLeftOut = ({ file }: { readonly file: string }) =>
  roundsOf(1, 0) > 0 &&
  /(?:accounts|batches|command-line|evaluation|guarantees|learning|moving-over|search-index)\.md$/.test(file);

for (const page of pages.filter((candidate) => candidate.examples.length > 0 && !isLeftOut(candidate))) {
  suite(page.file, () => {
    const closers: (() => Promise<void>)[] = [];
    let reader: Promise<Reader> | null = null;
    before(() => {
      reader = openReader({ after: (close) => void closers.push(close) }, prepared, encoder);
      return reader;
    });
    after(async () => {
      for (const close of closers.toReversed()) await close();
    });
    for (const example of page.examples) {
      const name = `the ${example.language} example at line ${example.line} does what the document says`;
      test(name, { skip: skipOf(example) }, async () => {
        const output = await (await reader)?.follow(example);
        assert.ok(output !== undefined);
        // A program that shows nothing may have done nothing.
        if (example.language !== 'sh') assert.notEqual(output.trim(), '');
        if (example.printed === null) return;
        const shown: unknown = JSON.parse(example.printed.json);
        const real: unknown = JSON.parse(output);
        if (example.printed.exactly) assert.deepEqual(real, shown);
        else assert.deepEqual(shapeOf(real), shapeOf(shown));
        const answered = new Map(estimatesOf(real, '', false));
        for (const [path, value] of estimatesOf(shown, '', false))
          assert.ok(
            Math.abs((answered.get(path) ?? Number.NaN) - value) <= 0.01,
            `${path} is ${answered.get(path)} now`,
          );
      });
    }
  });
}

test('the TypeScript examples have no type errors', async (t) => {
  const folder = await openProject(t);
  const written = examples.filter(({ language }) => language === 'ts');
  for (const [index, { code }] of written.entries()) await writeFile(join(folder, `${index}.ts`), code);
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

const python3 = python ?? 'python3';
const hasNoPython = spawnSync(python3, ['-c', 'pass']).status !== 0;
const skip = hasNoPython && process.env['NESTOR_TEST_ALL'] !== '1' ? 'needs Python' : false;

test('everything that is shown as Python is Python, run or not', { skip }, () => {
  const fences = guide.flatMap(({ file, text }) =>
    [...readFences(text)]
      .filter(({ language }) => language === 'python')
      .map(({ line, code }) => ({ at: `${file}:${line}`, code })),
  );
  assert.ok(fences.length > 0);
  const compileAll =
    'import json, sys\nfor fence in json.load(sys.stdin): compile(fence["code"], fence["at"], "exec")';
  const { status, stderr } = spawnSync(python3, ['-c', compileAll], {
    encoding: 'utf8',
    input: JSON.stringify(fences),
  });
  assert.equal(status, 0, stderr);
});
