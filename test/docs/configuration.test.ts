import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configuration } from '../../src/configuration.ts';
import { readFences } from './examples.ts';
import { readGuide } from './pages.ts';

/** A block of questions for `nestor decide`, which is YAML and no configuration. */
function isQuestions(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).every((item) => typeof item === 'object' && item !== null && 'type' in item);
}

/** Variables whose keys take addresses of their own kind. */
const addresses: Readonly<Record<string, string>> = {
  NESTOR_DATABASE_URL: 'postgres://nestor@db/nestor',
  NESTOR_REDIS_URL: 'redis://cache:6379/3',
};

/** The variables that a file refers to without a default, each set to something that its key takes. */
function variablesOf(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{(?<name>[A-Z0-9_]+)\}/g)].map(({ groups }) => groups?.['name'] ?? '');
  return Object.fromEntries(names.map((name) => [name, addresses[name] ?? `secret-of-${name}`]));
}

const blocks = (await readGuide()).flatMap(({ file, text }) =>
  [...readFences(text)]
    .filter(({ language }) => language === 'yaml')
    .map(({ line, code }) => ({ at: `${file}:${line}`, code })),
);

test('every configuration that the guide shows is one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-docs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'nestor.yaml');
  let loaded = 0;
  for (const { at, code } of blocks) {
    const value = parse(code) as Readonly<Record<string, unknown>>;
    if (isQuestions(value)) continue;
    await writeFile(file, code);
    const env = { NESTOR_CONFIG: file, NESTOR_DATA: folder, ...variablesOf(code) };
    assert.doesNotThrow(() => configuration.load({ env, cwd: folder }), at);
    loaded++;
  }
  assert.ok(loaded >= 15, `only ${loaded} configurations were found`);
});
