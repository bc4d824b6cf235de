import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../storage/temporary.ts';
import { spawnServer } from './server-process.ts';

/** More than Node asks the system for, and no more than the system lets wait. */
const clients = Math.min(1_200, somaxconn());
const isStopped = clients <= 511 && 'this system lets no more connections wait than Node asks for';

/**
 * A loop takes one new connection a turn, so those of a busy moment wait with the system. Linux forgets half of what
 * finds no room there, and resets it a minute later as if the server had done so.
 */
test(
  'a server that is busy with all its streams loses none of 1,200 clients that connect meanwhile',
  { skip: isStopped },
  async (t) => {
    const server = await spawnServer(temporaryFolder(t), {
      NESTOR_SANDBOX_RUNNER: 'off',
      NESTOR_DETECT: 'false',
    });
    t.after(() => server.end('SIGKILL'));
    const { hostname, port } = new URL(server.url);
    process.kill(server.pid, 'SIGSTOP');
    const sockets = Array.from({ length: clients }, () => connect(Number(port), hostname));
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    // Without room for all of them this waits for a server that is stopped.
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const answers = sockets.map((socket) => statusOf(socket));
    process.kill(server.pid, 'SIGCONT');
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 200 OK']));
    assert.equal(await server.end('SIGTERM'), 0);
  },
);

async function statusOf(socket: Socket): Promise<string | undefined> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: nestor\r\nConnection: close\r\n\r\n');
  return (await text(socket)).split('\r\n', 1)[0];
}

function somaxconn(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
}
