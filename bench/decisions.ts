import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from './support/child.ts';
import { runLoad } from './support/load.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'bench-root-key-0123456789';
const nestor = new URL('./support/nestor-server.ts', import.meta.url);
const bareFastify = new URL('./support/bare-fastify.mjs', import.meta.url);

const state =
  'Hello, I ordered a pair of running shoes two weeks ago and they still have not arrived. The tracking page has ' +
  'said the same thing since Monday. I have written twice and nobody answered. Please send me my money back or tell ' +
  'me when they will be here, I need them for a race on Saturday.';

const topics =
  'refund delivery exchange invoice password login complaint praise size colour stock voucher'.split(' ');
const noul = (index: number) => ({
  type: 'noul',
  instructions: `Is the customer writing about a ${topics[index % topics.length]} of order ${index}?`,
});
const record = <Value>(count: number, name: (index: number) => string, value: (index: number) => Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value(index)]));

const bodyOf = (questions: object) => JSON.stringify({ model: 'svc-decider-v1-27b', state, questions });
const cases = {
  'one option (no engine)': bodyOf({ topic: { type: 'choice', criteria: { a: null } } }),
  'one noul': bodyOf({ refund: { type: 'noul', instructions: 'Is the customer asking for a refund?' } }),
  'one choice of 5': bodyOf({
    topic: {
      type: 'choice',
      criteria: { refund: null, delivery: null, login: null, invoice: null, other: null },
    },
  }),
  '128 nouls': bodyOf(record(128, (index) => `q${index}`, noul)),
  'one choice of 255': bodyOf({
    topic: {
      type: 'choice',
      criteria: record(
        255,
        (index) => `${topics[index % 12]} ${index}`,
        () => null,
      ),
    },
  }),
} as const;

/** Start, memory, latency, throughput and CPU of decisions with the embedded engine, beside bare Fastify. */
export async function run(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const env = {
    NESTOR_DATA: data,
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: key,
    NESTOR_RATE_LIMITS_ENABLED: 'false',
    NESTOR_LOG_LEVEL: 'warn',
  };
  console.log(`${process.version}, ${cpus().length} cores`);
  await benchStart(env);
  const ours = await startChild(nestor, env);
  const floor = await startChild(bareFastify);
  await benchRequests(ours);
  await benchOverhead(ours, floor);
  await ours.stop();
  await floor.stop();
  await rm(data, { recursive: true, force: true });
}

async function benchStart(env: Readonly<Record<string, string>>): Promise<void> {
  const rows: Row[] = [];
  for (let start = 1; start <= 6; start++) {
    const child = await startChild(nestor, env);
    await pause(500);
    const idle = await child.usage();
    await runLoad(loadOf(child, cases['one noul']), 1, 0.5);
    const used = await child.usage();
    rows.push([
      start === 1 ? 'first after a change' : `start ${start}`,
      child.readyMs,
      idle.residentMb,
      used.residentMb,
    ]);
    await child.stop();
  }
  printTable('Start and memory', ['', 'ready ms', 'idle MB', 'MB after 0.5 s of nouls'], rows);
}

async function benchRequests(server: Child): Promise<void> {
  const rows: Row[] = [];
  for (const [name, body] of Object.entries(cases)) {
    for (const clients of [1, 64]) rows.push([name, clients, ...(await measure(server, body, clients, 3))]);
  }
  printTable('Decisions, engine words', ['', 'clients', 'p50 ms', 'p95 ms', 'per s', 'CPU us each'], rows);
}

/** In turn, three times, so that a drift of the machine hits both alike. */
async function benchOverhead(ours: Child, floor: Child): Promise<void> {
  const rows: Row[] = [];
  for (let round = 1; round <= 3; round++) {
    const body = cases['one option (no engine)'];
    const bare = await measure(floor, body, 64, 3);
    const full = await measure(ours, body, 64, 3);
    const [bareCpu, fullCpu] = [bare.at(-1) ?? 0, full.at(-1) ?? 0];
    rows.push([`round ${round}`, bareCpu, fullCpu, fullCpu - bareCpu, fullCpu / bareCpu]);
  }
  printTable(
    'Pipeline overhead at 64 clients, CPU us per request',
    ['', 'bare Fastify', 'Nestor', 'difference', 'ratio'],
    rows,
  );
}

async function measure(server: Child, body: string, clients: number, seconds: number): Promise<number[]> {
  const load = loadOf(server, body);
  await runLoad(load, clients, 0.5);
  const before = await server.usage();
  const { requests, seconds: elapsed, p50, p95 } = await runLoad(load, clients, seconds);
  const after = await server.usage();
  return [p50, p95, requests / elapsed, ((after.cpuMs - before.cpuMs) * 1_000) / requests];
}

function loadOf({ url }: Child, body: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { url, path: '/v1/decisions', headers, body };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
