import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMetrics } from '../../src/kernel/http/metrics.ts';
import { startServer } from '../support/server.ts';
import { freePort } from '../support/free-port.ts';

test('metrics count every reply by operation and status, on a port of their own and only when asked for', async (t) => {
  const port = await freePort();
  const { url, post } = await startServer(t, { env: { NESTOR_METRICS_PORT: String(port) } });
  const questions = { q: { type: 'noul', instructions: 'Is it raining?' } };
  await post('/v1/decisions', { model: 'svc-decider-v1-27b', state: 'It pours.', questions });
  await post('/v1/decisions', {});
  await fetch(`${url}/nowhere`);

  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=/);
  const text = await response.text();
  for (const labels of [
    'operation="createDecision",status="200"',
    'operation="createDecision",status="400"',
    'operation="none",status="404"',
  ]) {
    assert.ok(text.includes(`nestor_request_duration_seconds_count{${labels}} 1`), labels);
  }
  assert.match(text, /^process_resident_memory_bytes \d/m);
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
});

test('a port of metrics that is taken is named with the variable that sets another', async () => {
  const port = await freePort();
  const metrics = await openMetrics('127.0.0.1', port);
  await assert.rejects(openMetrics('127.0.0.1', port), {
    message: `127.0.0.1:${port} is taken, perhaps by a Nestor that runs already. NESTOR_METRICS_PORT sets another port.`,
  });
  await metrics.close();
});

test('metrics count the questions of each decider, and name none of an account', async (t) => {
  const port = await freePort();
  const deciders = [
    { name: 'quick', engine: 'words' },
    { name: 'both', cascade: [{ decider: 'quick', confidence: 1 }, { decider: 'svc-decider-v1-27b' }] },
  ];
  const { url, key, post } = await startServer(t, {
    config: JSON.stringify({ metrics: { port }, decisions: { engine: 'words', deciders } }),
  });
  const headers = { authorization: `Bearer ${key}` };
  const definition = JSON.stringify({ engine: 'words', abstain: 1 });
  await fetch(`${url}/v1/deciders/secret-plan`, { method: 'PUT', headers, body: definition });
  const questions = {
    q: { type: 'noul', instructions: 'Is it raining?' },
    r: { type: 'noul', instructions: 'Is it a complaint?' },
  };
  for (const model of ['both', 'secret-plan'])
    await post('/v1/decisions', { model, state: 'It pours.', questions });
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  for (const labels of [
    'decider="quick",outcome="passed"',
    'decider="svc-decider-v1-27b",outcome="answered"',
    'decider="account",outcome="abstained"',
  ])
    assert.ok(text.includes(`nestor_decider_questions_total{${labels}} 2`), labels);
  assert.match(text, /nestor_decider_input_tokens_total\{decider="quick"\} [1-9]/);
  assert.ok(!text.includes('secret-plan'));
});

test('a browser may call from a configured origin and from no other', async (t) => {
  const { url, key } = await startServer(t, { env: { NESTOR_CORS_ORIGINS: 'https://app.example' } });
  const preflight = await fetch(`${url}/v1/decisions`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-headers': 'authorization' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://app.example');
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization');
  assert.ok(preflight.headers.has('x-request-id'));

  const headers = { authorization: `Bearer ${key}`, origin: 'https://app.example' };
  const reply = await fetch(`${url}/v1/decisions`, { method: 'POST', headers, body: '{}' });
  assert.equal(reply.status, 400);
  assert.equal(reply.headers.get('access-control-allow-origin'), 'https://app.example');
  assert.match(reply.headers.get('access-control-expose-headers') ?? '', /x-request-id, retry-after/);

  const foreign = await fetch(`${url}/v1/decisions`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example' },
  });
  assert.equal(foreign.status, 405);
  assert.equal(foreign.headers.get('access-control-allow-origin'), null);
});

test('metrics of the ledger are what the ledger says at each look, counters included', async (t) => {
  const port = await freePort();
  const metrics = await openMetrics('127.0.0.1', port);
  t.after(() => metrics.close());
  let figures = {
    backlogRows: 3,
    backlogBytes: 4_096,
    backlogAgeMs: 1_500,
    setAside: 2,
    lost: 1,
    refused: 7,
  };
  metrics.watchLedger(() => figures);
  const read = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Object.fromEntries(
      [...text.matchAll(/^nestor_ledger_(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  };
  const first = {
    backlog_rows: 3,
    backlog_bytes: 4_096,
    backlog_age_seconds: 1.5,
    set_aside_total: 2,
    lost_total: 1,
    refused_total: 7,
  };
  assert.deepEqual(await read(), first);
  assert.deepEqual(await read(), first, 'looking counts nothing');
  figures = { ...figures, backlogRows: 0, refused: 9 };
  assert.deepEqual(await read(), { ...first, backlog_rows: 0, refused_total: 9 });
});
