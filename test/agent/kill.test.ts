import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { spawnServer } from '../e2e/server-process.ts';
import { until } from '../support/agent.ts';
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
  const running = JSON.parse(await ask(first.url, '', { input: 'for ever', background: true })) as Json;
  await until(() => wire.requests.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 600));
  await first.end('SIGKILL');
  const second = await spawnServer(folder, env);
  t.after(() => second.end('SIGKILL'));
  assert.deepEqual(JSON.parse(await ask(second.url, `/${String(whole['id'])}`)), whole);
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
