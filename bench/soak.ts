import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild, type Child } from './support/child.ts';
import { createSoakClient, type SoakClient } from './support/soak-client.ts';
import { startSoakUpstream, type SoakUpstream } from './support/soak-upstream.ts';
import { judge, watchProcess, type Sample } from './support/soak-watch.ts';
import { readSource, soakWork, type SoakParts, type Work } from './support/soak-work.ts';
import { printTable, type Row } from './support/table.ts';

const rootKey = 'bench-root-key-0123456789abcdef';
const adminKey = 'bench-admin-key-0123456789abcdef';
const samplesMin = 60;
const rowsMax = 15;

interface Tally {
  done: number;
  /** The first few, in words. */
  readonly wrong: string[];
}

/**
 * Whether a server under mixed load stays right and flat: decisions, streams, agents that search and run code, jobs,
 * searches, index refreshes, keys, stored runs. Every answer is checked, and at the end the ledger against them.
 * `npm run bench soak -- --minutes 30 --seed 1` is the default.
 */
export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
  });
  const minutes = Number(values.minutes);
  const folder = await mkdtemp(join(tmpdir(), 'nestor-soak-'));
  const upstream = await startSoakUpstream();
  const metricsPort = await freePort();
  const server = await startNestor(upstream, folder, metricsPort);
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= server.stop());
  try {
    const client = createSoakClient(server.url, rootKey);
    const sourceId = await prepare({ client, upstream });
    const parts: SoakParts = { client, upstream, adminKey, sourceId, random: seeded(Number(values.seed)) };
    const watch = watchProcess(server.pid, `http://127.0.0.1:${metricsPort}/metrics`, folder);
    const endsAt = performance.now() + minutes * 60_000;
    const work = soakWork(parts);
    const tallies = work.map((): Tally => ({ done: 0, wrong: [] }));
    const everyMs = Math.min(20_000, (minutes * 60_000) / samplesMin);
    const samples: Sample[] = [];
    const sampling = (async () => {
      for (; performance.now() < endsAt; await pause(everyMs)) samples.push(await watch.sample());
    })();
    await Promise.all([...work.map((kind, index) => repeat(kind, tallies[index], endsAt)), sampling]);
    await stop();
    const isRight = [
      printWork(work, tallies),
      printSamples(samples),
      printLedger(join(folder, 'nestor.db'), client),
    ].every(Boolean);
    console.log(`\n${isRight ? 'Flat and right' : 'NOT flat and right'} after ${minutes} minutes.`);
    if (!isRight) process.exitCode = 1;
  } finally {
    await stop();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startNestor(upstream: SoakUpstream, folder: string, metricsPort: number): Promise<Child> {
  const config = {
    log: { level: 'error' },
    admin_key: adminKey,
    metrics: { port: metricsPort },
    rate_limits: { enabled: false },
    outbound: { allow_hosts: [upstream.host] },
    providers: [{ name: 'bench', type: 'openai-compatible', base_url: upstream.url, models: ['talker'] }],
    models: { svc: ['bench/talker'] },
  };
  const file = join(folder, 'soak.yaml');
  await writeFile(file, JSON.stringify(config));
  const env = { NESTOR_CONFIG: file, NESTOR_DATA: folder, NESTOR_PORT: '0', NESTOR_ROOT_KEY: rootKey };
  return startChild(new URL('./support/nestor-server.ts', import.meta.url), env);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The site is in the index, and a sandbox was found. Returns the id of the site's source. */
async function prepare({ client, upstream }: Pick<SoakParts, 'client' | 'upstream'>): Promise<string> {
  const admin = { key: adminKey };
  const sources = '/admin/v1/index/sources';
  const added = await client.json(
    sources,
    { location: upstream.siteUrl, depth: 1 },
    { ...admin, status: 201 },
  );
  const id = String(added['id']);
  for (;;) {
    if ((await readSource(client, adminKey, id))['state'] === 'ready') break;
    await pause(200);
  }
  const body = { model: 'bench/talker', input: '#code:2', tools: [{ type: 'sandbox' }], store: false };
  for (let tries = 0; ; tries++) {
    try {
      await client.json('/v1/agent', body, { isBilled: true });
      return id;
    } catch (error) {
      if (tries === 100) throw error;
      await pause(300);
    }
  }
}

async function repeat(work: Work, tally: Tally | undefined, endsAt: number): Promise<void> {
  if (tally === undefined) return;
  const one = async (lane: number): Promise<void> => {
    for (let round = 0; performance.now() < endsAt; round++) {
      try {
        await work.run(`${work.name.replaceAll(' ', '-')}.${lane}.${round}`);
        tally.done++;
      } catch (error) {
        tally.wrong.push(error instanceof Error ? error.message : String(error));
      }
      await pause(work.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: work.count }, (_, lane) => one(lane)));
}

function printWork(work: readonly Work[], tallies: readonly Tally[]): boolean {
  const rows = work.map(({ name }, index): Row => [
    name,
    tallies[index]?.done ?? 0,
    tallies[index]?.wrong.length ?? 0,
  ]);
  printTable('Answers', ['', 'right', 'wrong'], rows);
  for (const { wrong } of tallies)
    for (const message of wrong.slice(0, 3)) console.log(message.slice(0, 1_000));
  for (const note of work.flatMap(({ notes = [] }) => notes).slice(0, 10)) console.log(note.slice(0, 1_000));
  return tallies.every(({ wrong }) => wrong.length === 0);
}

function printSamples(samples: readonly Sample[]): boolean {
  const step = Math.max(1, Math.ceil(samples.length / rowsMax));
  printTable(
    'What the process held',
    [
      'min',
      'MB',
      'heap',
      'handles',
      'of threads',
      'sockets',
      'threads',
      'children',
      'files',
      'store MB',
      'cores',
    ],
    samples
      .filter((_, index) => index % step === 0 || index === samples.length - 1)
      .map((one) => [
        (one.seconds / 60).toFixed(1),
        one.residentMb,
        one.heapMb,
        one.handles,
        one.threadHandles,
        one.sockets,
        one.threads,
        one.children,
        one.files,
        one.storeMb,
        one.cores,
      ]),
  );
  const judgements = judge(samples);
  printTable(
    'Medians of the last two thirds',
    ['', 'middle', 'last', ''],
    judgements.map(({ what, middle, last, isFlat }): Row => [what, middle, last, isFlat ? 'flat' : 'GROWS']),
  );
  return judgements.every(({ isFlat }) => isFlat);
}

/** Every answer that was read to its end stands in the ledger once, and else only streams that were left. */
function printLedger(file: string, { billed, left }: SoakClient): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT request_id FROM usage').all() as { request_id: string }[];
  database.close();
  const counts = new Map<string, number>();
  for (const { request_id: id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  const missing = [...billed].filter((id) => !counts.has(id)).length;
  const twice = [...counts.values()].filter((count) => count > 1).length;
  const strange = [...counts.keys()].filter((id) => !billed.has(id) && !left.has(id)).length;
  const row = [billed.size, left.size, rows.length, missing, twice, strange].map(String);
  printTable('Ledger', ['answers', 'left', 'rows', 'missing', 'twice', 'strange'], [row]);
  return missing === 0 && twice === 0 && strange === 0;
}

/** Mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
