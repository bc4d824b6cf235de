import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rootKey, startServer } from '../support/server.ts';
import { readExamples, type Example } from './examples.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** Where the documents say that the server is. */
const documentedUrl = 'http://127.0.0.1:8787';

const guide = (await readdir(join(root, 'docs', 'guide'))).filter((name) => name.endsWith('.md'));
const files = ['README.md', ...guide.map((name) => join('docs', 'guide', name))];
const examples = (
  await Promise.all(files.map(async (file) => readExamples(file, await readFile(join(root, file), 'utf8'))))
).flat();

/** A folder in which the packages of the repository are installed, as they would be in a reader's project. */
async function openProject(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-docs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'data'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

/** What the example prints. Rejects when it fails. */
async function runExample(t: TestContext, { language, code }: Example): Promise<string> {
  const folder = await openProject(t);
  const data = join(folder, 'data');
  const admin = { NESTOR_ADMIN_KEY: 'admin-key-of-the-documents' };
  const { url } = await startServer(t, { env: { NESTOR_DATA: data, ...admin } });
  const source = code.replaceAll(documentedUrl, url);
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { PATH, HOME: folder, NESTOR_ROOT_KEY: rootKey, NESTOR_DATA: data, ...admin };
  const options = { cwd: folder, env, timeout: 30_000 };
  if (language === 'sh') return (await run('sh', ['-euc', source], options)).stdout;
  await writeFile(join(folder, 'example.ts'), source);
  return (await run(process.execPath, ['example.ts'], options)).stdout;
}

/** Values as their types, so that what an engine estimates may differ from what a document shows. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]));
}

const missing = ['sh', 'curl'].filter(
  (name) => spawnSync(name, [name === 'sh' ? '-c' : '--version', ':']).error !== undefined,
);

test('the documents show both shell and TypeScript examples', () => {
  for (const language of ['sh', 'ts']) assert.ok(examples.some((example) => example.language === language));
});

for (const example of examples) {
  const { file, line, language, printed } = example;
  const skip = language === 'sh' && missing.length > 0 ? `needs ${missing.join(' and ')}` : false;
  test(`the example at ${file}:${line} does what the document says`, { skip }, async (t) => {
    const output = await runExample(t, example);
    if (printed === null) return;
    const shown: unknown = JSON.parse(printed.json);
    const real: unknown = JSON.parse(output);
    if (printed.exactly) assert.deepEqual(real, shown);
    else assert.deepEqual(shapeOf(real), shapeOf(shown));
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
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
