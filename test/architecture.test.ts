import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { suite, test } from 'node:test';
import {
  circlesOf,
  featureGraph,
  importsByName,
  isTest,
  linesMax,
  refusal,
  source,
  sourceFiles,
  targetsOf,
} from './support/house.ts';
import { importsOf } from './support/imports.ts';

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|fixture))?\.ts$/;
const kebabFolder = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const linesMin = 15;
/** Lists, faces, entries of threads, migrations. */
const mayBeSmall =
  /(?:^|\/)(?:index|engine|provider|runner|config|feature|tools|[a-z-]*worker|\d{4}-[a-z-]+)\.ts$/;
/** A leaf that many share stays small: with anything beside it, the imports of its file would make circles. */
const manyImporters = 5;

/** Everything wrong with one source file; `path` is relative to `src`. Tests may import whatever they need. */
function violationsOf(path: string, text: string): string[] {
  const found: string[] = [];
  const segments = path.split('/');
  const file = segments.at(-1) ?? '';
  if (!kebabCase.test(file) || !segments.slice(0, -1).every((name) => kebabFolder.test(name)))
    found.push(`${path}: names are kebab-case`);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines > linesMax) found.push(`${path}: ${lines} lines, ${linesMax} are the most`);
  const { imports, defaultExport } = importsOf(text);
  if (defaultExport) found.push(`${path}: default export`);
  if (isTest(path)) return found;
  if (imports.includes(null) && !importsByName.includes(path))
    found.push(`${path}: imports what only the run time knows`);
  for (const to of targetsOf(path, text)) {
    const reason = refusal(path, to);
    if (reason !== null) found.push(`${path} -> ${to}: ${reason}`);
  }
  return found;
}

/** Files and packages that are loaded with a file: what it imports neither as types alone nor later. */
function loadedBy(path: string): readonly string[] {
  const text = readFileSync(new URL(path, source), 'utf8');
  const statements = text.matchAll(/^(?:import|export) (?!type )[^;()=]*?from '(?<specifier>[^']+)';$/gm);
  return [...statements].map(({ groups: { specifier = '' } = {} }) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier,
  );
}

/** Files and packages that are loaded with a file, at any depth. */
function loadedWith(path: string): readonly string[] {
  const loaded = new Set([path]);
  for (const one of loaded) if (one.endsWith('.ts')) for (const target of loadedBy(one)) loaded.add(target);
  return [...loaded].toSorted();
}

const isPackage = (name: string) => !name.endsWith('.ts') && !name.startsWith('node:');

suite('architecture', () => {
  const files = sourceFiles();

  test('every source file is looked at', () => {
    assert.ok(files.includes('server.ts') && files.includes('kernel/http/pipeline.ts') && files.length > 400);
    assert.deepEqual(
      files.filter(
        (path) =>
          !/^(?:main\.ts|commands\.ts|configuration\.ts|server\.ts|kernel\/|features\/[a-z]+\/)/.test(path),
      ),
      [],
    );
  });

  test('the kernel knows no feature, features meet through feature.ts, and names and lengths are kept', () => {
    assert.deepEqual(
      files.flatMap((path) => violationsOf(path, readFileSync(new URL(path, source), 'utf8'))),
      [],
    );
  });

  test('features are in one direction', () => {
    assert.deepEqual(circlesOf(featureGraph()), []);
  });

  test('no files import each other in a circle, types included', () => {
    assert.deepEqual(circlesOf(new Map(files.map((path) => [path, targetsOf(path)]))), []);
  });

  test('the command line loads the lists of commands, and no package', () => {
    const loaded = loadedWith('main.ts');
    assert.deepEqual(loaded.filter(isPackage), []);
    const ofFeatures = loaded.filter((path) => path.startsWith('features/'));
    assert.ok(ofFeatures.length > 5);
    assert.ok(ofFeatures.every((path) => path.endsWith('/commands/index.ts')));
  });

  test('no path names a module by its ending, which is .js in the published package', () => {
    const comments = /\/\*[^]*?\*\/|\/\/.*/g;
    const naming = /(?<!from |import |import\(|module )['"`][^'"`\s]*\.ts['"`]/;
    const found = files.filter(
      (path) =>
        !isTest(path) && naming.test(readFileSync(new URL(path, source), 'utf8').replaceAll(comments, '')),
    );
    assert.deepEqual(found, ['kernel/kit/beside.ts']);
  });

  test('a command on a server loads nothing of a server', () => {
    const commands = files.filter((path) => path.startsWith('features/client/commands/'));
    const loaded = new Set(commands.flatMap(loadedWith));
    assert.deepEqual([...loaded].filter(isPackage).toSorted(), ['fflate', 'undici', 'yaml']);
    assert.deepEqual(
      [...loaded].filter((path) => path.startsWith('features/') && !path.startsWith('features/client/')),
      [],
    );
  });

  test('what commands on the configuration and the store load is no server', () => {
    const tools = ['store', 'backup', 'doctor'].map((name) => `features/service/${name}-tools.ts`);
    const loaded = new Set(['configuration.ts', ...tools].flatMap(loadedWith));
    assert.ok(loaded.has('typebox') && loaded.has('features/accounts/administration.ts'));
    const ofServers = ['fastify', 'undici', 'pino', 'jsdom', 'kernel/http/transport.ts', 'server.ts'];
    assert.deepEqual(
      ofServers.filter((name) => loaded.has(name)),
      [],
    );
  });

  test('a server loads no command, but what several of them share', () => {
    const loaded = loadedWith('server.ts');
    assert.ok(loaded.length > 300 && loaded.includes('typebox'));
    assert.deepEqual(
      loaded.filter((path) => /^features\/[a-z]+\/commands\//.test(path)),
      [
        'features/accounts/commands/store-command.ts',
        'features/client/commands/client-command.ts',
        'features/client/commands/client-paint.ts',
      ],
    );
  });

  test('a file of fewer than fifteen lines is a list, a face, an entry, a migration, or what many others share', () => {
    const importers = new Map<string, number>();
    for (const path of files)
      for (const to of new Set(targetsOf(path))) importers.set(to, (importers.get(to) ?? 0) + 1);
    const isSmall = (path: string) =>
      readFileSync(new URL(path, source), 'utf8').split('\n').filter(Boolean).length < linesMin;
    assert.deepEqual(
      files.filter(
        (path) => !mayBeSmall.test(path) && (importers.get(path) ?? 0) < manyImporters && isSmall(path),
      ),
      [],
    );
  });

  test('half of all files have between 50 and 150 lines', () => {
    const lengths = files
      .map((path) => readFileSync(new URL(path, source), 'utf8').split('\n').length - 1)
      .toSorted((a, b) => a - b);
    const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
    assert.ok(median >= 50 && median <= 150, `the median is ${median}`);
  });
});

suite('the checker of the architecture', () => {
  const one = (path: string, text: string) => violationsOf(path, text).length;

  test('refuses what the rule does not allow, in every form of import', () => {
    const face = "'../features/jobs/feature.ts'";
    assert.equal(one('kernel/x.ts', `import { a } from ${face};`), 1);
    assert.equal(one('kernel/x.ts', `import type { A } from ${face};`), 1);
    assert.equal(one('kernel/x.ts', `export * from ${face};`), 1);
    assert.equal(one('kernel/x.ts', `export { a as b } from ${face};`), 1);
    assert.equal(one('kernel/x.ts', `const a = await import(${face});`), 1);
    assert.equal(one('kernel/x.ts', `import ${face};`), 1);
    assert.equal(one('kernel/x.ts', `import {\n  a,\n  // why\n  b,\n} from ${face};`), 1);
    assert.equal(one('kernel/x.ts', `type A = import(${face}).Queue;`), 1);
    assert.equal(one('kernel/x.ts', "import { a } from '../server.ts';"), 1);
    assert.equal(one('kernel/x.ts', 'const a = await import(name);'), 1);
    assert.equal(one('features/chat/x.ts', "import type { A } from '../jobs/queue.ts';"), 1);
    assert.equal(one('features/chat/wire/x.ts', "import { a } from '../../jobs/wire/schema.ts';"), 1);
    assert.equal(one('features/chat/x.ts', "import { a } from '../../server.ts';"), 1);
    assert.equal(one('features/chat/x.ts', "import { a } from '../../main.ts';"), 1);
    assert.equal(one('features/chat/x.ts', "import { a } from './feature.ts';"), 1);
    assert.equal(one('main.ts', "import { a } from './features/jobs/queue.ts';"), 1);
    assert.equal(one('server.ts', "import { a } from './configuration.ts';"), 1);
    assert.equal(one('server.ts', "import { a } from './features/service/store-tools.ts';"), 1);
    assert.equal(one('configuration.ts', "import { a } from './features/jobs/feature.ts';"), 1);
    assert.equal(one('server.ts', "import { a } from './commands.ts';"), 1);
    assert.equal(one('main.ts', "import { a } from './features/jobs/commands/index.ts';"), 1);
    assert.equal(one('commands.ts', "import { a } from './features/jobs/commands/jobs.ts';"), 1);
    assert.equal(one('server.ts', "import { a } from './features/jobs/queue.ts';"), 1);
    assert.equal(one('kernel/a.ts', "import { a } from '../../test/support/server.ts';"), 1);
  });

  test('refuses siblings and members that know their list', () => {
    assert.equal(one('features/decisions/engines/a/index.ts', "import { b } from '../b/index.ts';"), 1);
    assert.equal(one('features/decisions/engines/a/index.ts', "import { b } from '../index.ts';"), 1);
    assert.equal(one('features/tools/fetch-url/index.ts', "import { b } from '../web-search/index.ts';"), 1);
  });

  test('lets pass what the rule allows', () => {
    assert.equal(
      one('kernel/http/x.ts', "import { a } from '../kit/json.ts';\nimport { b } from './y.ts';"),
      0,
    );
    assert.equal(one('features/decisions/engines/index.ts', "import { a } from './a/index.ts';"), 0);
    assert.equal(
      one('features/decisions/engines/a/index.ts', "import { a } from '../../engine.ts';\nimport './b.ts';"),
      0,
    );
    assert.equal(one('features/chat/x.ts', "import { a } from '../jobs/feature.ts';"), 0);
    assert.equal(one('features/chat/wire/x.ts', "import { a } from '../plan.ts';\nimport 'typebox';"), 0);
    assert.equal(one('features/chat/x.ts', "import { a } from '../../kernel/kit/json.ts';"), 0);
    assert.equal(one('server.ts', "import { a } from './features/jobs/feature.ts';"), 0);
    assert.equal(one('main.ts', "import { a } from './server.ts';"), 0);
    assert.equal(one('main.ts', "import { a } from './features/service/store-tools.ts';"), 0);
    assert.equal(one('configuration.ts', "import { a } from './features/jobs/config.ts';"), 0);
    assert.equal(one('configuration.ts', "import { a } from './features/search/engines/index.ts';"), 0);
    assert.equal(one('commands.ts', "import { a } from './features/jobs/commands/index.ts';"), 0);
    assert.equal(one('kernel/http/x.test.ts', "import { a } from '../../features/jobs/queue.ts';"), 0);
  });

  test('finds circles, also long ones', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a', 'd']],
      ['d', []],
    ]);
    assert.deepEqual(circlesOf(graph), [['a', 'b', 'c']]);
    assert.deepEqual(circlesOf(new Map([['a', ['b']]])), []);
  });

  test('reads code and not what looks like it', () => {
    const face = '../features/jobs/feature.ts';
    assert.equal(one('kernel/x.ts', `// import { a } from '${face}';\n/* import '${face}' */`), 0);
    assert.equal(one('kernel/x.ts', `const a = "import '${face}'";`), 0);
    assert.equal(one('kernel/x.ts', `const a = \`import '${face}' \${b('}')} from '${face}'\`;`), 0);
    assert.equal(one('kernel/x.ts', `const a = /['"\`]/;\nimport '${face}';`), 1);
    assert.equal(one('kernel/x.ts', `const a = b / c; const d = 'x' / e;\nimport '${face}';`), 1);
    assert.equal(one('kernel/x.ts', `const a = \`\${await import('${face}')}\`;`), 1);
    assert.equal(one('kernel/x.ts', "const u = new URL('../../package.json', import.meta.url);"), 0);
  });

  test('refuses default exports, long files and names that are not kebab-case', () => {
    assert.equal(one('kernel/a.ts', 'export default function a() {}'), 1);
    assert.equal(one('kernel/a.ts', 'const a = 1;\nexport { a as default };'), 1);
    assert.equal(one('kernel/a.ts', '// export default nothing'), 0);
    assert.equal(one('kernel/a.ts', 'a;\n'.repeat(401)), 1);
    assert.equal(one('kernel/a.ts', 'a;\n'.repeat(400)), 0);
    assert.equal(one('kernel/camelCase.ts', ''), 1);
    assert.equal(one('kernel/snake_case.ts', ''), 1);
    assert.equal(one('kernel/Sub/a.ts', ''), 1);
    assert.equal(one('kernel/0001-accounts.ts', ''), 0);
    assert.equal(one('kernel/a-b.test.ts', ''), 0);
  });
});
