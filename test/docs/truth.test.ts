import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { configuration } from '../../src/configuration.ts';
import { targetsOf } from '../support/house.ts';
import { drawMap, withMap } from './map.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

interface Schema {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

/** Every key that can hold a value, as `keys[].account`, with its default as JSON; undefined for none. */
function* keysOf(schema: Schema, path: string): Generator<readonly [string, string | undefined]> {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`;
    if (inner.properties === undefined) yield [key, JSON.stringify(inner.default)];
    yield* keysOf(inner, key);
  }
  for (const variant of schema.anyOf ?? []) yield* keysOf(variant, path);
  if (schema.items !== undefined) yield* keysOf(schema.items, `${path}[]`);
}

/** Key and default of each row of the tables. */
function rowsOf(text: string): Map<string, string | undefined> {
  const rows = text.matchAll(/^\| `(?<key>[^`]+)` *\| *(?:`(?<fallback>[^`]+)`)? *\|/gm);
  return new Map([...rows].map(({ groups }) => [groups?.['key'] ?? '', groups?.['fallback']]));
}

test('the guide names every key of the configuration with its default, and no other', async () => {
  const text = await read('docs/guide/configuration.md');
  const documented = rowsOf(text.slice(text.indexOf('## Keys in force')));
  const declared = [...keysOf(configuration.jsonSchema(), '')];
  const names = new Set(declared.map(([key]) => key));
  assert.deepEqual([...documented.keys()].toSorted(), [...names].toSorted());
  for (const name of names) {
    // Variants of one mapping may differ in whether a key has a default; the guide shows the usual one.
    const defaults = declared.filter(([key]) => key === name).map(([, fallback]) => fallback);
    assert.ok(defaults.includes(documented.get(name)), `default of ${name} is ${String(defaults[0])}`);
  }
});

test('every link between the documents leads somewhere', async () => {
  const folders = ['.', 'docs', 'docs/guide', 'docs/reference', 'docs/decisions'];
  for (const folder of folders) {
    for (const name of await readdir(join(root, folder))) {
      if (!name.endsWith('.md')) continue;
      const file = join(folder, name);
      for (const [, target = ''] of (await read(file)).matchAll(/\]\((?!https?:)(?<target>[^)\s]+)\)/g)) {
        const [path = '', anchor] = target.split('#');
        const linked = path === '' ? file : join(dirname(file), path);
        assert.ok(existsSync(join(root, linked)), `${file} links to ${target}`);
        if (anchor === undefined) continue;
        assert.ok(anchorsOf(await read(linked)).has(anchor), `${file} links to ${target}`);
      }
    }
  }
});

/** Headings as GitHub makes anchors of them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.matchAll(/^#+ (?<heading>.+)$/gm);
  const toAnchor = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  return new Set([...headings].map(({ groups }) => toAnchor(groups?.['heading'] ?? '')));
}

test('every runtime and development dependency has its sentence in docs/decisions', async () => {
  const notes = await Promise.all(
    (await readdir(join(root, 'docs/decisions'))).map((name) => read(join('docs/decisions', name))),
  );
  const all = notes.join('\n');
  for (const file of ['package.json', 'console/package.json']) {
    const manifest = JSON.parse(await read(file)) as Record<string, Record<string, string> | undefined>;
    for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies']) {
      for (const name of Object.keys(manifest[kind] ?? {})) {
        assert.ok(all.includes(`\`${name}\``), `${name} has no note`);
      }
    }
  }
});

test('docs/architecture.md shows the features as they import each other; npm run docs:map writes it', async () => {
  const text = await read('docs/architecture.md');
  const page = await format(withMap(text, drawMap()), {
    parser: 'markdown',
    ...(await resolveConfig(join(root, 'README.md'))),
  });
  assert.equal(text, page);
});

test('the walks of docs/architecture.md name files that are there, and none imports one above it', async () => {
  const text = await read('docs/architecture.md');
  const section = text.slice(text.indexOf('### Four requests'), text.indexOf('## 4.'));
  const walks = section
    .split(/^\*\*/m)
    .slice(1)
    .map((walk) => [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path));
  assert.equal(walks.length, 4);
  for (const walk of walks) {
    assert.ok(walk.length >= 8);
    for (const [at, path] of walk.entries()) {
      const targets = new Set(targetsOf(path));
      assert.deepEqual(
        walk.slice(0, at).filter((above) => targets.has(above)),
        [],
        path,
      );
    }
  }
});
