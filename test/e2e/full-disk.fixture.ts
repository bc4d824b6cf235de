/**
 * Rounds of a disk that fills up under load and has room again, then a restart: `node full-disk.fixture.ts FOLDER`,
 * where the folder is a file system of its own. Prints one line of JSON: what was answered and what is in the ledger.
 */
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { exampleBodies } from '../support/examples.ts';
import { createClient } from '../support/http.ts';
import { spawnServer, type ServerProcess } from './server-process.ts';

const [folder = ''] = process.argv.slice(2);
const rounds = Number(process.env['FULL_DISK_ROUNDS'] ?? 6);
const data = `${folder}/data`;
const key = 'root-key-of-acme-0123456789';
const body = JSON.stringify(exampleBodies['createDecision']);
const env = {
  NESTOR_RATE_LIMITS_ENABLED: 'false',
  NESTOR_DETECT: 'false',
  NESTOR_SANDBOX_RUNNER: 'off',
  NESTOR_LOG_LEVEL: 'error',
};

const answered = new Set<string>();
/** Sent, and the server was killed before the answer came. */
let inDoubt = 0;
let refused = 0;
const messages = new Set<string>();
const otherStatuses = new Set<number>();

interface Load {
  /** Resolves when a request was refused, or so many were answered. */
  until(answers: number): Promise<void>;
  stop(): Promise<void>;
}

function startLoad({ url }: ServerProcess): Load {
  const send = createClient(url);
  const over = new AbortController();
  const seen = { answers: 0, refusals: 0 };
  let wake = (): void => {};

  async function client(): Promise<void> {
    while (!over.signal.aborted) {
      inDoubt++;
      const received = await send({
        method: 'POST',
        path: '/v1/decisions',
        headers: { authorization: `Bearer ${key}` },
        body,
      }).catch(() => null);
      if (received === null) return;
      inDoubt--;
      if (received.status === 200) {
        answered.add(String(received.headers['x-request-id']));
        seen.answers++;
      } else if (received.status === 503) {
        refused++;
        seen.refusals++;
        messages.add((JSON.parse(received.text) as { error: { message: string } }).error.message);
        // As a client would that was told to come later.
        await new Promise((resolve) => setTimeout(resolve, 20));
      } else otherStatuses.add(received.status);
      wake();
    }
  }

  const clients = Array.from({ length: 8 }, () => client());
  return {
    async until(target) {
      Object.assign(seen, { answers: 0, refusals: 0 });
      while (seen.answers < target && seen.refusals === 0)
        await new Promise<void>((resolve) => (wake = resolve));
    },
    async stop() {
      over.abort();
      await Promise.all(clients);
      send.close();
    },
  };
}

/** Until not one byte more is taken. */
function fillDisk(): void {
  const file = openSync(`${folder}/filler`, 'a');
  try {
    for (let size = 65_536; size >= 1;) {
      try {
        if (writeSync(file, Buffer.alloc(size, 1)) < size) throw new Error('short');
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

const freeDisk = (): void => rmSync(`${folder}/filler`, { force: true });

interface Ready {
  readonly status: string;
  readonly checks: { readonly ledger: string };
  readonly ledger: { readonly backlog_rows: number; readonly refused: number; readonly lost: number };
}

async function readiness({ url }: ServerProcess): Promise<Ready> {
  return (await (await fetch(`${url}/readyz`)).json()) as Ready;
}

async function untilReady(server: ServerProcess, isEnough: (ready: Ready) => boolean): Promise<Ready> {
  for (;;) {
    const ready = await readiness(server);
    if (isEnough(ready)) return ready;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

mkdirSync(data);
writeFileSync(`${data}/nestor.yaml`, JSON.stringify({ keys: [{ key, account: 'acme' }] }));
let server = await spawnServer(data, env);
for (let round = 0; round < rounds; round++) {
  let load = startLoad(server);
  await load.until(50);
  fillDisk();
  await load.until(1e6);
  // The last room may have been promised to eight requests at once; soon there is none for one.
  await untilReady(server, ({ checks }) => checks.ledger === 'down');
  if (round === rounds - 2) {
    // What was answered survives that as well.
    await server.end('SIGKILL');
    await load.stop();
    freeDisk();
    server = await spawnServer(data, env);
    load = startLoad(server);
  }
  freeDisk();
  await untilReady(server, ({ checks }) => checks.ledger === 'ok');
  await load.until(50);
  await load.stop();
  await untilReady(server, ({ ledger }) => ledger.backlog_rows === 0);
}
const last = await readiness(server);
const exitCodes = [await server.end('SIGTERM')];
const again = await spawnServer(data, env);
exitCodes.push(await again.end('SIGTERM'));

const store = await openDatabase('sqlite', { dataFolder: data });
const rows = await store.db.selectFrom('usage').select('request_id').execute();
await store.close();
const ids = new Set(rows.map((row) => row.request_id));
process.stdout.write(
  `${JSON.stringify({
    answered: answered.size,
    refused,
    rows: rows.length,
    twice: rows.length - ids.size,
    missing: answered.difference(ids).size,
    unexplained: Math.max(0, ids.difference(answered).size - inDoubt),
    lost: last.ledger.lost,
    messages: [...messages],
    otherStatuses: [...otherStatuses],
    exitCodes,
  })}\n`,
);
