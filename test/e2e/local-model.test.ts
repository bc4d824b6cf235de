import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import { writeTestModel } from '../support/gguf.ts';
import { startServer, type TestServer } from '../support/server.ts';

let model = '';
before(async () => {
  model = await writeTestModel();
});

/** Two of them wait for each other whenever another test wants a core. */
const threads = 1;

const decision = {
  model: 'svc-decider-v1-27b',
  state: 'It pours.',
  questions: { q: { type: 'noul', instructions: 'Is it raining?' } },
};

async function engineOf({ post }: TestServer): Promise<string | null> {
  const response = await post('/v1/decisions', decision);
  assert.equal(response.status, 200);
  return response.headers.get('x-nestor-engine');
}

async function dataFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-models-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a GGUF file decides when it is named, when a local provider names it, and when it lies in the data folder', async (t) => {
  const named = JSON.stringify({ decisions: { path: model, threads } });
  assert.equal(await engineOf(await startServer(t, { config: named })), 'local');

  const provider = { name: 'home', type: 'local', path: model };
  assert.equal(
    await engineOf(
      await startServer(t, { config: JSON.stringify({ providers: [provider], decisions: { threads } }) }),
    ),
    'local',
  );

  const data = await dataFolder(t);
  await mkdir(join(data, 'models'));
  await copyFile(model, join(data, 'models', 'mine.gguf'));
  assert.equal(
    await engineOf(await startServer(t, { data, config: JSON.stringify({ decisions: { threads } }) })),
    'local',
  );
});

test('a broken file is one clear line at start, readyz says down, and the server still serves', async (t) => {
  const data = await dataFolder(t);
  await writeFile(join(data, 'broken.gguf'), 'GGUF but not really');
  const server = await startServer(t, { data });
  const told = server.log.filter(({ msg }) => String(msg).startsWith('decisions: '));
  assert.equal(told.length, 1);
  assert.match(String(told[0]?.['msg']), /broken\.gguf/);
  assert.equal(String(told[0]?.['msg']).includes('\n'), false);

  const ready = await fetch(`${server.url}/readyz`);
  assert.equal(ready.status, 503);
  assert.equal(((await ready.json()) as { checks: { decisions: string } }).checks.decisions, 'down');
  const refused = await server.post('/v1/decisions', decision);
  assert.equal(refused.status, 503);
  assert.equal((await refused.text()).includes('broken.gguf'), false);
  assert.equal((await fetch(`${server.url}/v1/models`)).status, 200);
});
