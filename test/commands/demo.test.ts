import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openClient } from '../../src/features/client/feature.ts';
import { readExamples } from '../../src/features/decisions/feature.ts';
import { fillDemo, stepsOf } from '../../src/features/service/commands/demo-fill.ts';
import { openDemoFolder } from '../../src/features/service/commands/demo-folder.ts';
import { listAt, numberAt, textAt } from '../../src/kernel/kit/json-path.ts';
import { startServer } from '../support/server.ts';
import { openConsole } from './support.ts';

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-demo-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

suite('nestor demo', () => {
  test('ten sets of examples lie in its folder, each long enough to be learned from, with keys for its owner alone', (t) => {
    const folder = openDemoFolder(join(openFolder(t), 'demo'));
    assert.equal(folder.sets.length, 10);
    assert.equal(new Set(folder.sets.map(({ name }) => name)).size, 10);
    for (const { name } of folder.sets) {
      const file = join(folder.decisions, `${name}.jsonl`);
      const { examples } = readExamples(readFileSync(file), file, { split: 'test', outside: false });
      assert.ok(examples.length >= 10, name);
      assert.ok(new Set(examples.map(({ answer }) => answer)).size >= 2, name);
    }
    assert.ok(readdirSync(folder.handbook).length >= 8);
    assert.equal(statSync(join(folder.path, 'demo.json')).mode & 0o777, 0o600);
    assert.ok(folder.keys.root !== folder.keys.admin);
  });

  test('the folder of an earlier run is gone on with, one of something else is refused and left alone', async (t) => {
    const place = openFolder(t);
    const first = openDemoFolder(join(place, 'demo'));
    assert.deepEqual([first.isFilled, first.isScratch], [false, false]);
    first.setFilled();
    const second = openDemoFolder(join(place, 'demo'));
    assert.deepEqual([second.isFilled, second.keys.root], [true, first.keys.root]);
    const { nestor, folder } = openConsole(t);
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'nestor.db'), 'x');
    const { code, err } = await nestor(['demo', '--data', 'mine']);
    assert.equal(code, 2);
    assert.match(err, /holds something else; --data takes a new folder/);
    assert.deepEqual(readdirSync(join(folder, 'mine')), ['nestor.db']);
  });

  test('a folder that nobody named is gone at the end', () => {
    const folder = openDemoFolder(null);
    assert.ok(folder.isScratch && existsSync(folder.path));
    folder.remove();
    assert.ok(!existsSync(folder.path));
  });

  test('a server is filled by its published operations, and filling it twice changes nothing', async (t) => {
    const folder = openDemoFolder(join(openFolder(t), 'demo'));
    const { root, admin } = folder.keys;
    const env = { NESTOR_ROOT_KEY: root, NESTOR_ADMIN_KEY: admin };
    const { url } = await startServer(t, { env, withEncoder: true });
    const api = openClient({ url: () => url, key: root, connectionsMax: 1 });
    t.after(() => api.close());
    const { signal } = new AbortController();
    const steps: number[] = [];
    const filling = {
      api,
      adminApi: api.withKey(admin),
      signal,
      onStep: (done: number) => void steps.push(done),
    };
    await fillDemo(folder, filling);
    await fillDemo(folder, filling);
    assert.equal(steps.at(-1), stepsOf(folder));
    assert.equal(steps.length, 2 * stepsOf(folder));
    const timeoutMs = 60_000;
    for (const { name, rows } of folder.sets) {
      const path = `/v1/deciders/demo-${name}/examples`;
      const list = await api.call({ method: 'GET', path, timeoutMs, signal });
      assert.equal(numberAt(list, 'total'), rows.length, name);
    }
    const json = { query: 'Where are returned parcels put?' };
    const found = await api.call({ method: 'POST', path: '/search', json, timeoutMs, signal });
    assert.match(textAt(listAt(found, 'results')[0] ?? null, 'snippet') ?? '', /shelf seven/);
  });
});
