import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { startNestor } from './support/bench-nestor.ts';
import { startChild } from './support/child.ts';
import { startModule, type ModuleGateway } from './support/gateway-peers.ts';
import { readPaced } from './support/paced-clients.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'sk-bench-root-key-0123456789';
const streams = Number(process.env['BENCH_STREAMS'] ?? 1_000);
/** Each stream is as long. */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 300);
/** Which subjects; all without it. */
const wanted = new RegExp(process.env['BENCH_SUBJECTS'] ?? '');
const paceMs = Number(process.env['BENCH_PACE_MS'] ?? 200);
const deltas = Math.floor((seconds * 1_000) / paceMs);
const messages = [{ role: 'user', content: 'Tell me a long story.' }];
const body = { max_tokens: 64_000, messages, stream: true };

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly model: string;
  start(upstream: string, data: string): Promise<ModuleGateway>;
}

const nestor = (name: string, path: string): Subject => ({
  name,
  path,
  model: 'bench/instant',
  start: (upstream, data) => startNestor(upstream, key, data),
});
const subjects: readonly Subject[] = [
  {
    name: 'bare Fastify and undici',
    path: '/v1/chat/completions',
    model: 'instant',
    start: (upstream) =>
      startModule('forward-fastify.mjs', { BENCH_UPSTREAM: upstream, BENCH_CONNECTIONS: '2048' }),
  },
  nestor('Nestor, chat completions', '/router/v1/chat/completions'),
  nestor('Nestor, Messages', '/router/v1/messages'),
];

/**
 * Many streams at once, each with a delta at a fixed pace: how many are lost, how late deltas are read over the time at
 * which they were due, and whether memory grows. What the scripted model and the clients are late by themselves shows in the bare
 * proxy's row, and in the column of what was late when it was written. `BENCH_STREAMS`, `BENCH_SECONDS` and `BENCH_PACE_MS` change
 * the load, `BENCH_SUBJECTS` is an expression for the names of those wanted.
 */
export async function run(): Promise<void> {
  console.log(
    `${process.version}, ${cpus().length} cores, ${streams} streams of ${seconds} s, a delta each ${paceMs} ms`,
  );
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const rows: Row[] = [];
  for (const subject of subjects.filter(({ name }) => wanted.test(name)))
    rows.push(await measure(subject, data));
  await rm(data, { recursive: true, force: true });
  printTable(
    'Lateness in ms over the time at which a delta was due',
    [
      '',
      'lost',
      'deltas',
      'p50',
      'p99',
      'max',
      'p99 written',
      'CPU %',
      'MB at 1/4',
      'MB at 2/4',
      'MB at 3/4',
      'MB max',
    ],
    rows,
  );
}

/** What a server does when it has just begun is no part of what is measured. */
async function settled(gateway: ModuleGateway): Promise<void> {
  for (let second = 0; second < 60; second++) {
    const before = await gateway.cpuMs();
    await sleep(1_000);
    if ((await gateway.cpuMs()) - before < 100) return;
  }
}

async function measure(subject: Subject, data: string): Promise<Row> {
  const { name, path, model } = subject;
  const pace = { BENCH_PACE_MS: String(paceMs), BENCH_DELTAS: String(deltas) };
  const upstream = await startChild(new URL('support/paced-upstream.mjs', import.meta.url), pace);
  const gateway = await subject.start(upstream.url, data);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const load = { url: gateway.url, path, headers, body: JSON.stringify({ ...body, model }) };
  await settled(gateway);
  const resident: number[] = [];
  const sampling = setInterval(() => void gateway.residentMb().then((mb) => resident.push(mb)), 1_000);
  const [cpuBefore, startedAt] = [await gateway.cpuMs(), performance.now()];
  const { lost, reasons, deltas: count, read, written } = await readPaced(load, streams, deltas, 5_000);
  const cpu = (((await gateway.cpuMs()) - cpuBefore) * 100) / (performance.now() - startedAt);
  clearInterval(sampling);
  await gateway.close();
  await upstream.stop();
  const at = (part: number) => resident[Math.floor(resident.length * part)] ?? Number.NaN;
  const memory = [at(0.25), at(0.5), at(0.75), Math.max(...resident)];
  if (lost > 0) console.log(`${name} lost ${lost}: ${JSON.stringify(reasons)}`);
  return [name, String(lost), String(count), read.p50, read.p99, read.max, written.p99, cpu, ...memory];
}
