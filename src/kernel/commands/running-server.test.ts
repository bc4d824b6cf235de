import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { announceServer, findServer } from './running-server.ts';

const url = 'http://127.0.0.1:8787';

test('a server is found through its data folder while it runs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-running-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.equal(findServer(folder), null);
  const leave = announceServer(folder, url);
  assert.equal(findServer(folder), url);
  leave();
  assert.equal(findServer(folder), null);
  leave();
});

test('a server leaves the file of another one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-running-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const leave = announceServer(folder, url);
  const path = join(folder, 'server.json');
  writeFileSync(path, JSON.stringify({ url: 'http://127.0.0.1:8799', pid: process.ppid }));
  leave();
  assert.equal(findServer(folder), 'http://127.0.0.1:8799');
});

test('nothing is found of a killed server, of a file that is none, or of an address beyond this machine', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-running-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const { pid } = process;
  for (const text of [
    '',
    '[]',
    'null',
    JSON.stringify({ url, pid: dead }),
    JSON.stringify({ url, pid: 0 }),
    JSON.stringify({ url, pid: -1 }),
    JSON.stringify({ url, pid: String(pid) }),
    ...[
      'http://127.0.0.1.example.com',
      'http://192.0.2.7:8787',
      'https://127.0.0.1',
      'file:///etc',
      'http://127.0.0.1@example.com',
      'x',
    ].map((other) => JSON.stringify({ url: other, pid })),
  ]) {
    writeFileSync(join(folder, 'server.json'), text);
    assert.equal(findServer(folder), null, text);
  }
  for (const own of ['http://127.0.0.1:80', 'http://127.1.2.3:9', 'http://[::1]:8787']) {
    writeFileSync(join(folder, 'server.json'), JSON.stringify({ url: own, pid }));
    assert.equal(findServer(folder), own);
  }
});

test('a folder that cannot be written costs nothing but the address', () => {
  const folder = join(tmpdir(), 'nestor-running-none');
  announceServer(folder, url)();
  assert.ok(!existsSync(folder));
});
