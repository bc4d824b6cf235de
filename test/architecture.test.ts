import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { suite, test } from 'node:test';
import { families, importsByName, mayImport, memberExtras } from './support/import-table.ts';
import { importsOf } from './support/imports.ts';

const linesMax = 400;
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|fixture))?\.ts$/;
const kebabFolder = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Everything wrong with one source file; `path` is relative to `src`. Tests may import whatever they need. */
function violationsOf(path: string, source: string): string[] {
  const found: string[] = [];
  const segments = path.split('/');
  const file = segments.at(-1) ?? '';
  if (!kebabCase.test(file) || !segments.slice(0, -1).every((name) => kebabFolder.test(name))) {
    found.push(`${path}: names are kebab-case`);
  }
  const lines = source.split('\n').length - (source.endsWith('\n') ? 1 : 0);
  if (lines > linesMax) found.push(`${path}: ${lines} lines, ${linesMax} are the most`);
  const { imports, defaultExport } = importsOf(source);
  if (defaultExport) found.push(`${path}: default export`);
  if (/\.(?:test|fixture)\.ts$/.test(path)) return found;
  for (const specifier of imports) {
    if (specifier === null) {
      if (!importsByName.includes(path)) found.push(`${path}: imports what only the run time knows`);
    } else if (specifier.startsWith('.')) {
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      const reason = refusal(path, target);
      if (reason !== null) found.push(`${path} -> ${target}: ${reason}`);
    }
  }
  return found;
}

function refusal(from: string, to: string): string | null {
  if (to.startsWith('..')) {
    return from === 'server.ts' ? null : 'only server.ts reads files outside src';
  }
  const part = partOf(from);
  if (part === null) return `no row for ${from} in the table`;
  const allowed = mayImport[part] ?? [];
  if (allowed.includes('*')) return null;
  const target = partOf(to);
  if (target === null) return `no row for ${to} in the table`;
  const member = memberOf(from);
  if (member !== null && memberExtras[member]?.some((extra) => to === extra || to.startsWith(`${extra}/`))) {
    return null;
  }
  const targetMember = memberOf(to);
  if (targetMember !== null && targetMember !== member) {
    const family = posix.dirname(targetMember);
    if (member !== null && posix.dirname(member) === family)
      return 'siblings of a family never import each other';
    if (target === part && from !== `${family}/index.ts`) return "only the family's list imports its members";
    if (target !== part && to !== `${family}/index.ts`) return 'a member is reached through its family';
  }
  if (member !== null && target === part) {
    const family = posix.dirname(member);
    if (to === `${family}/index.ts`) return 'a member does not know the list it is in';
  }
  // A member of an engine family knows its family and the floor, not what the rest of its part may use.
  const reach = member !== null && part !== 'operations' && part !== 'tools' ? ['kit', 'faults.ts'] : allowed;
  return target === part || reach.includes(target) ? null : `${part} may not import ${target}`;
}

function partOf(path: string): string | null {
  const [first = ''] = path.split('/');
  return first in mayImport ? first : null;
}

/** `decisions/engines/baseline` for every file below it; null outside families and for a family's own files. */
function memberOf(path: string): string | null {
  const family = families.find((name) => path.startsWith(`${name}/`));
  if (family === undefined) return null;
  const [member = '', ...rest] = path.slice(family.length + 1).split('/');
  return rest.length === 0 ? null : `${family}/${member}`;
}

suite('architecture', () => {
  const root = new URL('../src/', import.meta.url);
  const files = globSync('**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));

  test('every source file is looked at', () => {
    assert.ok(files.includes('server.ts') && files.includes('http/pipeline.ts') && files.length > 40);
  });

  test('the tree keeps the import table, names, lengths and named exports', () => {
    const violations = files.flatMap((path) => violationsOf(path, readFileSync(new URL(path, root), 'utf8')));
    assert.deepEqual(violations, []);
  });

  test('every row of the table that has files is met by the tree, and no folder is without a row', () => {
    const tops = new Set(files.map((path) => path.split('/')[0] ?? ''));
    assert.deepEqual(
      [...tops].filter((top) => partOf(top) === null && !top.endsWith('.test.ts')),
      [],
    );
  });
});

suite('the checker of the architecture', () => {
  const one = (path: string, source: string) => violationsOf(path, source).length;

  test('refuses what the table does not allow, in every form of import', () => {
    assert.equal(one('kit/x.ts', "import { Fault } from '../faults.ts';"), 1);
    assert.equal(one('http/x.ts', "import type { A } from '../storage/database.ts';"), 1);
    assert.equal(one('http/x.ts', "export * from '../operations/index.ts';"), 1);
    assert.equal(one('http/x.ts', "export { a as b } from '../accounts/limiter.ts';"), 1);
    assert.equal(one('http/x.ts', "const a = await import('../accounts/limiter.ts');"), 1);
    assert.equal(one('http/x.ts', "import '../accounts/limiter.ts';"), 1);
    assert.equal(one('http/x.ts', "import {\n  a,\n  // why\n  b,\n} from '../accounts/limiter.ts';"), 1);
    assert.equal(one('http/x.ts', 'import a from "../accounts/limiter.ts"'), 1);
    assert.equal(one('http/x.ts', "type A = import('../accounts/limiter.ts').Limiter;"), 1);
    assert.equal(one('operations/a/x.ts', "import { db } from '../../storage/database.ts';"), 1);
    assert.equal(one('main.ts', "import { a } from './http/reply.ts';"), 1);
    assert.equal(one('config/a.ts', "import { a } from '../kit/json.ts';"), 1);
    assert.equal(one('unknown/a.ts', "import { a } from '../kit/json.ts';"), 1);
    assert.equal(one('kit/a.ts', "import { a } from '../../test/support/server.ts';"), 1);
    assert.equal(one('kit/a.ts', 'const a = await import(name);'), 1);
  });

  test('refuses siblings, members seen from outside and members that know their list', () => {
    assert.equal(one('decisions/engines/a/index.ts', "import { b } from '../b/index.ts';"), 1);
    assert.equal(one('operations/a/schema.ts', "import { b } from '../b/schema.ts';"), 1);
    assert.equal(one('decisions/decide.ts', "import { b } from './engines/baseline/index.ts';"), 1);
    assert.equal(one('tools/a/index.ts', "import { b } from '../../search/engines/brave/index.ts';"), 1);
    assert.equal(one('decisions/engines/a/index.ts', "import { b } from '../index.ts';"), 1);
    assert.equal(one('decisions/engines/a/index.ts', "import { b } from '../../../models/model.ts';"), 1);
    assert.equal(one('search/engines/brave/index.ts', "import { b } from '../../../storage/corpus.ts';"), 1);
  });

  test('lets pass what the table allows', () => {
    assert.equal(one('http/x.ts', "import { a } from '../kit/json.ts';\nimport { b } from './y.ts';"), 0);
    assert.equal(one('decisions/engines/index.ts', "import { a } from './a/index.ts';"), 0);
    assert.equal(
      one('decisions/engines/a/index.ts', "import { a } from '../../engine.ts';\nimport './b.ts';"),
      0,
    );
    assert.equal(one('search/engines/corpus/index.ts', "import { b } from '../../../storage/corpus.ts';"), 0);
    assert.equal(
      one(
        'embeddings/engines/local/index.ts',
        "import { b } from '../../../models/providers/local/engine.ts';",
      ),
      0,
    );
    assert.equal(one('operations/a/x.ts', "import { a } from '../services.ts';\nimport 'typebox';"), 0);
    assert.equal(one('server.ts', "import { a } from './storage/database.ts';"), 0);
    assert.equal(one('main.ts', "import { a } from './config.ts';"), 0);
    assert.equal(one('http/x.test.ts', "import { a } from '../operations/index.ts';"), 0);
  });

  test('reads code and not what looks like it', () => {
    assert.equal(
      one('http/x.ts', "// import { a } from '../storage/a.ts';\n/* import '../storage/a.ts' */"),
      0,
    );
    assert.equal(one('http/x.ts', 'const a = "import \'../storage/a.ts\'";'), 0);
    assert.equal(
      one('http/x.ts', "const a = `import '../storage/a.ts' ${b('}')} from '../storage/a.ts'`;"),
      0,
    );
    assert.equal(one('http/x.ts', "const a = /['\"`]/;\nimport '../storage/a.ts';"), 1);
    assert.equal(one('http/x.ts', "const a = b / c; const d = 'x' / e;\nimport '../storage/a.ts';"), 1);
    assert.equal(one('http/x.ts', "const a = `${await import('../storage/a.ts')}`;"), 1);
    assert.equal(one('http/x.ts', "const u = new URL('../../package.json', import.meta.url);"), 0);
  });

  test('refuses default exports, long files and names that are not kebab-case', () => {
    assert.equal(one('kit/a.ts', 'export default function a() {}'), 1);
    assert.equal(one('kit/a.ts', 'const a = 1;\nexport { a as default };'), 1);
    assert.equal(one('kit/a.ts', '// export default nothing'), 0);
    assert.equal(one('kit/a.ts', 'a;\n'.repeat(401)), 1);
    assert.equal(one('kit/a.ts', 'a;\n'.repeat(400)), 0);
    assert.equal(one('kit/camelCase.ts', ''), 1);
    assert.equal(one('kit/snake_case.ts', ''), 1);
    assert.equal(one('kit/Sub/a.ts', ''), 1);
    assert.equal(one('kit/0001-accounts.ts', ''), 0);
    assert.equal(one('kit/a-b.test.ts', ''), 0);
  });
});
