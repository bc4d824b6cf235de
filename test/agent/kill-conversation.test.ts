import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import OpenAI from 'openai';
import { spawnServer } from '../e2e/server-process.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollEnd, until } from '../support/until.ts';
import { chunk, done, hang, startWire, usageChunk } from '../support/upstream-chat.ts';

/** A conversation that a killed process was going on with: another process may, with what was said before. */

const key = 'kill-root-key-0123456789';
const env = {
  NESTOR_ROOT_KEY: key,
  NESTOR_DETECT: 'false',
  NESTOR_SANDBOX_RUNNER: 'off',
  // Whether it is locked is asked until it is not.
  NESTOR_RATE_LIMITS_ENABLED: 'false',
};
const model = 'lab/a';
const isLocked = (error: unknown) =>
  error instanceof OpenAI.BadRequestError && error.code === 'conversation_locked';

async function startModel(t: TestContext) {
  const wire = await startWire(t, ({ body }) =>
    JSON.stringify(body).includes('for ever')
      ? [chunk({ content: 'Some words, ' }), hang]
      : [chunk({ content: 'Hello.' }), chunk({}, 'stop'), usageChunk(3, 2), done],
  );
  const provider = { name: 'lab', type: 'openai-compatible', base_url: `${wire.url}/v1`, models: ['a'] };
  return { wire, config: JSON.stringify({ providers: [provider] }) };
}

async function serve(t: TestContext, config: string, folder: string, more: Readonly<Record<string, string>>) {
  await writeFile(join(folder, 'nestor.yaml'), config);
  const server = await spawnServer(folder, { ...env, ...more });
  t.after(() => server.end('SIGKILL'));
  return { server, client: new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: key, maxRetries: 0 }) };
}

const textsIn = async (client: OpenAI, id: string) => {
  const texts: string[] = [];
  for await (const item of client.conversations.items.list(id, { order: 'asc' }))
    if (item.type === 'message')
      texts.push(item.content.map((part) => ('text' in part ? part.text : part.type)).join());
  return texts;
};

/** A conversation of one turn, and a second one that the server is killed in the midst of. */
async function begin(client: OpenAI, requests: readonly unknown[]) {
  const { id } = await client.conversations.create({});
  await client.responses.create({ model, conversation: id, input: 'Hi' });
  const before = requests.length;
  const running = await client.responses.create({
    model,
    conversation: id,
    input: 'Talk for ever',
    background: true,
  });
  await until(() => requests.length > before);
  return { id, running };
}

async function assertGoesOn(client: OpenAI, id: string, running: string): Promise<void> {
  // It stays locked until the process that held it counts as gone, some seconds later.
  const next = await pollEnd(
    () =>
      client.responses.create({ model, conversation: id, input: 'Still there?' }).catch((error: unknown) => {
        if (isLocked(error)) return null;
        throw error;
      }),
    (response) => response !== null,
  );
  assert.equal(next?.output_text, 'Hello.');
  const ended = await client.responses.retrieve(running);
  assert.deepEqual([ended.status, ended.error?.code], ['failed', 'server_restarted']);
  assert.deepEqual(await textsIn(client, id), ['Hi', 'Hello.', 'Still there?', 'Hello.']);
}

test('kill -9 leaves no conversation locked: the server that comes after it goes on', async (t) => {
  const { wire, config } = await startModel(t);
  const folder = await temporaryFolder(t);
  const first = await serve(t, config, folder, {});
  const { id, running } = await begin(first.client, wire.requests);
  const refused = first.client.responses.create({ model, conversation: id, input: 'And I?' });
  await assert.rejects(refused, isLocked);
  await first.server.end('SIGKILL');
  const { client } = await serve(t, config, folder, {});
  await assertGoesOn(client, id, running.id);
});

test(
  'kill -9 leaves no conversation locked: the server beside it on PostgreSQL goes on',
  { skip: postgresSkipReason() },
  async (t) => {
    const { wire, config } = await startModel(t);
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const store = {
      NESTOR_DATABASE_URL: await postgres.createStore('without docs'),
      NESTOR_RATE_LIMITS_ENABLED: 'false',
    };
    const first = await serve(t, config, await temporaryFolder(t), store);
    const beside = await serve(t, config, await temporaryFolder(t), store);
    const { id, running } = await begin(first.client, wire.requests);
    for (const { client } of [first, beside])
      await assert.rejects(client.responses.create({ model, conversation: id, input: 'And I?' }), isLocked);
    await first.server.end('SIGKILL');
    await assertGoesOn(beside.client, id, running.id);
  },
);
