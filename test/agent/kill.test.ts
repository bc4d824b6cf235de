import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { unpackText } from '../../src/kernel/store/packed-text.ts';
import { spawnServer } from '../e2e/server-process.ts';
import { until } from '../support/until.ts';
import { assertResponse, parseEvents, readRun, type Json } from '../support/agent-wire.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chunk, done, hang, startWire, usageChunk } from '../support/upstream-chat.ts';

const key = 'kill-root-key-0123456789';
const env = { NESTOR_ROOT_KEY: key, NESTOR_DETECT: 'false', NESTOR_SANDBOX_RUNNER: 'off' };

test('after kill -9 and a restart what was over is whole, and what ran is failed', async (t) => {
  const wire = await startWire(t, ({ body }) =>
    JSON.stringify(body).includes('for ever')
      ? [chunk({ content: 'Some words, ' }), chunk({ content: 'and then' }), hang]
      : [chunk({ content: 'Hello.' }), chunk({}, 'stop'), usageChunk(3, 2), done],
  );
  const folder = await temporaryFolder(t);
  const config = `providers: [{ name: lab, type: openai-compatible, base_url: "${wire.url}/v1", models: [a] }]\n`;
  await writeFile(join(folder, 'nestor.yaml'), config);
  const ask = async (url: string, path: string, body?: object) => {
    const response = await fetch(`${url}/v1/agent${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify({ model: 'lab/a', ...body }) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  };
  const first = await spawnServer(folder, env);
  t.after(() => first.end('SIGKILL'));
  const whole = JSON.parse(await ask(first.url, '', { input: 'Hi' })) as Json;
  assert.equal(whole['status'], 'completed', JSON.stringify(whole));
  const openAi = async (url: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url}/openai/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
      ...sent,
    });
    return (await response.json()) as Json;
  };
  const { id: conversation } = await openAi(first.url, '/conversations', {});
  const talk = { model: 'lab/a', conversation, input: 'Hi' };
  assert.equal((await openAi(first.url, '/responses', talk))['status'], 'completed');
  const items = `/conversations/${String(conversation)}/items`;
  const before = await openAi(first.url, items);
  assert.equal((before['data'] as readonly Json[]).length, 2);
  await openAi(first.url, '/responses', { ...talk, input: 'for ever', background: true });
  await until(() => wire.requests.length === 3);
  const running = JSON.parse(await ask(first.url, '', { input: 'for ever', background: true })) as Json;
  await until(() => wire.requests.length === 4);
  const stored = new DatabaseSync(join(folder, 'nestor.db'), { readOnly: true });
  t.after(() => stored.close());
  const events = stored.prepare('select lines from response_events where response_id = ?');
  await until(async () => {
    const lines = await Promise.all(
      events.all(String(running['id'])).map((row) => unpackText(String(row['lines']))),
    );
    return lines.join('\n').includes('and then');
  });
  await first.end('SIGKILL');
  const second = await spawnServer(folder, env);
  t.after(() => second.end('SIGKILL'));
  assert.deepEqual(JSON.parse(await ask(second.url, `/${String(whole['id'])}`)), whole);
  // What a run had begun to say is in no conversation.
  assert.deepEqual(await openAi(second.url, items), before);
  const path = `/${String(running['id'])}`;
  let told: Json = {};
  await until(async () => {
    told = JSON.parse(await ask(second.url, path)) as Json;
    return told['status'] !== 'in_progress';
  });
  assertResponse(told);
  assert.equal((told['error'] as Json)['code'], 'server_restarted');
  const { response, deltas } = readRun(parseEvents(await ask(second.url, `${path}?stream=true`)));
  assert.deepEqual(response, told);
  assert.equal(deltas.join(''), 'Some words, and then');
  const followed = { input: 'Again', previous_response_id: whole['id'] };
  assert.equal((JSON.parse(await ask(second.url, '', followed)) as Json)['status'], 'completed');
});

test('a run whose end the store refuses is told by nobody, and is failed after kill -9 and a restart', async (t) => {
  const wire = await startWire(t, () => [
    chunk({ content: 'Hello.' }),
    chunk({}, 'stop'),
    usageChunk(3, 2),
    done,
  ]);
  const folder = await temporaryFolder(t);
  const config = `providers: [{ name: lab, type: openai-compatible, base_url: "${wire.url}/v1", models: [a] }]\n`;
  await writeFile(join(folder, 'nestor.yaml'), config);
  const headers = { authorization: `Bearer ${key}` };
  const get = async (url: string, id: unknown) =>
    (await (await fetch(`${url}/v1/agent/${String(id)}`, { headers })).json()) as Json;
  const first = await spawnServer(folder, env);
  t.after(() => first.end('SIGKILL'));
  const store = new DatabaseSync(join(folder, 'nestor.db'));
  t.after(() => store.close());
  store.exec('pragma busy_timeout = 10000');
  store.exec(`create trigger no_ends before update of status on responses when new.status <> 'in_progress'
    begin select raise(abort, 'no end is taken'); end`);
  const body = JSON.stringify({ model: 'lab/a', input: 'Hi', stream: true });
  const response = await fetch(`${first.url}/v1/agent`, { method: 'POST', headers, body });
  assert.ok(response.body);
  let told = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  while (!told.includes('response.output_item.done')) told += (await reader.read()).value ?? '';
  const { id } = (/"response":\{"id":"(?<id>[^"]+)"/.exec(told)?.groups ?? {}) as { readonly id?: string };
  assert.equal((await get(first.url, id))['status'], 'in_progress');
  await first.end('SIGKILL');
  assert.doesNotMatch(told, /response\.(?:completed|failed)/);
  await reader.cancel().catch(() => {});
  store.exec('drop trigger no_ends');
  const second = await spawnServer(folder, env);
  t.after(() => second.end('SIGKILL'));
  await until(async () => (await get(second.url, id))['status'] !== 'in_progress');
  const whole = await get(second.url, id);
  assertResponse(whole);
  assert.equal((whole['error'] as Json)['code'], 'server_restarted');
});
