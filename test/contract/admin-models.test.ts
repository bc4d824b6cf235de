import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import type { HubScript } from '../support/hub.ts';
import { knownModel, startModelHub } from '../support/known-models.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';

const adminKey = 'admin-key-of-a-test-0123456789';
interface Known {
  readonly name: string;
  readonly state: string;
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  readonly error: string | null;
  readonly licence: { readonly id: string; readonly conditions: string | null };
}

async function open(t: TestContext, script: Partial<HubScript> = {}) {
  const hub = await startModelHub(t, script);
  const server = await startServer(t, {
    env: { NESTOR_ADMIN_KEY: adminKey },
    hub: { endpoint: hub.url, token: undefined, proxy: undefined },
    knownModels: [knownModel('tiny'), knownModel('bound', 'Pass the terms on.')],
  });
  const call = (method: string, path: string, body?: object) =>
    fetch(`${server.url}/admin/v1/models/${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const known = async (name: string): Promise<Known> => {
    const list = (await (await call('GET', 'known')).json()) as { readonly data: readonly Known[] };
    const found = list.data.find((one) => one.name === name);
    assert.ok(found);
    return found;
  };
  return { call, known, hub, models: join(server.data, 'models') };
}

suite('models over the administration', () => {
  test('a pull is begun once, tells how far it is, and its model is then listed with what it is', async (t) => {
    const { call, known, models } = await open(t);
    assert.equal((await known('tiny')).state, 'absent');
    const begun = await call('POST', 'known/tiny/pull', {});
    assert.equal(begun.status, 200);
    assert.equal(((await begun.json()) as Known).state, 'pulling');
    await poll(
      () => known('tiny'),
      ({ state }) => state === 'here',
    );
    assert.deepEqual(await readdir(models), ['tiny']);
    const files = (await (await call('GET', 'files')).json()) as { readonly data: readonly object[] };
    const [file] = files.data as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      [
        file?.['name'],
        file?.['form'],
        file?.['does'],
        file?.['decides_with'],
        file?.['licence'],
        file?.['problem'],
      ],
      ['tiny', 'onnx', ['embeds', 'decides'], 'cosine', 'MIT', null],
    );
    // What is there already is not pulled again.
    assert.equal(((await (await call('POST', 'known/tiny/pull')).json()) as Known).state, 'here');
  });

  test('whoever asks while a pull ends is told that it is under way, or that the model is there', async (t) => {
    const { call, known } = await open(t);
    await call('POST', 'known/tiny/pull', {});
    const states = new Set<string>();
    const ask = () =>
      poll(
        async () => (await known('tiny')).state,
        (state) => states.add(state).has('here'),
      );
    await Promise.all(Array.from({ length: 24 }, ask));
    assert.deepEqual([...states], ['pulling', 'here']);
  });

  test('a licence with conditions has to be accepted, and a name has to be known', async (t) => {
    const { call, known, hub } = await open(t);
    const refused = await call('POST', 'known/bound/pull', {});
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /accept_licence accepts them/);
    assert.equal((await call('POST', 'known/other/pull', {})).status, 404);
    assert.equal((await call('DELETE', 'known/other/pull')).status, 404);
    assert.equal(hub.requests.length, 0);
    assert.equal((await call('POST', 'known/bound/pull', { accept_licence: true })).status, 200);
    await poll(
      () => known('bound'),
      ({ state }) => state === 'here',
    );
  });

  test('a pull that is cancelled keeps what came, and the next one continues it', async (t) => {
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const { call, known, models, hub } = await open(t, { holds: () => freed });
    await call('POST', 'known/tiny/pull', {});
    await poll(
      () => known('tiny'),
      // The small files are there, and the graph has begun.
      () => hub.requests.some(({ host, method }) => host === 'files' && method === 'GET'),
    );
    const again = (await (await call('POST', 'known/tiny/pull', {})).json()) as Known;
    assert.equal(again.state, 'pulling');
    const cancelled = (await (await call('DELETE', 'known/tiny/pull')).json()) as Known;
    assert.deepEqual([cancelled.state, cancelled.progress, cancelled.error], ['absent', null, null]);
    assert.deepEqual(await readdir(models), ['.pulling']);
    free();
    await call('POST', 'known/tiny/pull', {});
    await poll(
      () => known('tiny'),
      ({ state }) => state === 'here',
    );
    assert.deepEqual(await readdir(models), ['tiny']);
  });

  test('a pull that fails says why, until the next begins', async (t) => {
    const { call, known } = await open(t, { status: 404 });
    await call('POST', 'known/tiny/pull', {});
    const failed = await poll(
      () => known('tiny'),
      ({ state }) => state === 'failed',
    );
    assert.match(failed.error ?? '', /has no file config\.json in lab\/encoder at a{40}\.$/);
  });
});
