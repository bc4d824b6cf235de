import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { operations } from '../support/operations.ts';
import { temporaryFolder } from '../storage/temporary.ts';
import { exampleBodies } from '../support/examples.ts';
import { settings } from '../support/settings.ts';
import { spawnServer } from './server-process.ts';

const key = 'root-key-of-acme-0123456789';
/** Smaller than what the ledger keeps ready, larger than a new store. Unit: KiB. */
const fileSizeMax = 1_000;

test('without room for a row every billed operation answers 503 before its work, and says so; others go on', async (t) => {
  const data = `${temporaryFolder(t)}/data`;
  mkdirSync(data);
  writeFileSync(`${data}/nestor.yaml`, JSON.stringify({ keys: [{ key, account: 'acme' }] }));
  const metricsPort = await freePort();
  const server = await spawnServer(
    data,
    {
      NESTOR_RATE_LIMITS_ENABLED: 'false',
      NESTOR_DETECT: 'false',
      NESTOR_SANDBOX_RUNNER: 'off',
      NESTOR_METRICS_PORT: String(metricsPort),
    },
    ['bash', '-c', `ulimit -f ${fileSizeMax}; exec "$@"`, 'bash'],
  );
  t.after(() => server.end('SIGKILL'));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const billed = operations(settings).filter(
    ({ id, isBilled }) => isBilled === true || id === 'createResponse',
  );
  assert.ok(billed.length >= 10, billed.map(({ id }) => id).join());
  for (const { id, paths } of billed) {
    const body = JSON.stringify(exampleBodies[id]);
    const response = await fetch(server.url + paths[0], { method: 'POST', headers, body });
    const text = await response.text();
    assert.equal(response.status, 503, `${id}: ${text}`);
    assert.match(text, /no room left to record usage/, id);
    assert.equal(response.headers.get('retry-after'), '5', id);
  }
  const ready = await fetch(`${server.url}/readyz`);
  const told = (await ready.json()) as {
    readonly checks: { readonly ledger: string };
    readonly ledger: { readonly refused: number; readonly lost: number };
  };
  assert.deepEqual([ready.status, told.checks.ledger], [503, 'down']);
  assert.deepEqual([told.ledger.refused, told.ledger.lost], [billed.length, 0]);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  assert.match(metrics, new RegExp(`^nestor_ledger_refused_total ${billed.length}$`, 'm'));
  assert.match(metrics, /^nestor_ledger_lost_total 0$/m);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${server.url}/v1/account`, { headers })).status, 200);
  assert.equal(server.stderr().match(/billed requests answer 503/g)?.length, 1);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
