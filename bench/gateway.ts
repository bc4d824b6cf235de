import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNestor } from './support/bench-nestor.ts';
import { startChild } from './support/child.ts';
import {
  liteLlmName,
  nameOf,
  startLiteLlm,
  startModule,
  startPeer,
  type Gateway,
  type PeerName,
} from './support/gateway-peers.ts';
import type { Load } from './support/load.ts';
import { runStreamLoad } from './support/stream-load.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'sk-bench-root-key-0123456789';
/** Ratios are against it. */
const floor = 'bare Fastify and undici';
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 7);
/** Which subjects, beside the floor; all without it. */
const wanted = new RegExp(process.env['BENCH_SUBJECTS'] ?? '');
const seconds = 1.5;
/**
 * Requests of each kind that a subject answers before it is measured. Counted, because code is compiled once it has run
 * often: on a busy machine a time is over before that.
 */
const warmUps = 5_000;
/** The folder of another checkout, whose Nestor is measured beside this one. */
const before = process.env['BENCH_BEFORE'];

const question =
  'Hello, I ordered a pair of running shoes two weeks ago and they still have not arrived. The tracking page has said ' +
  'the same thing since Monday. Please tell me in one sentence what I can do.';
const messages = [{ role: 'user', content: question }];
const system = 'You answer customers of a shop.';
const chat = {
  model: 'instant',
  max_tokens: 256,
  messages: [{ role: 'system', content: system }, ...messages],
};
const asked = { model: 'bench/instant', max_tokens: 256, system, messages };

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly headers?: (upstream: string) => Readonly<Record<string, string>>;
  readonly body: object;
  /** Where nothing is compiled, fewer will do. */
  readonly warmUps?: number;
  start(upstream: string): Promise<Gateway>;
}

interface Figures {
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly firstByteMs: number;
  readonly p95Ms: number;
}

/**
 * CPU per request, requests per second and the first byte, between clients that do nothing and a model that does
 * nothing. The server under test has one core, everything else another. Machines are noisy: all subjects take their
 * turns in each round, and ratios are those of one round. `BENCH_ROUNDS` says how many there are, `BENCH_SUBJECTS` is an
 * expression for the names of those wanted, `BENCH_BEFORE` the folder of another checkout.
 */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${cpus().length} cores, medians of ${rounds} rounds`);
  const upstream = await startChild(new URL('./support/instant-upstream.mjs', import.meta.url));
  pin(upstream.pid, 1);
  pin(process.pid, 1);
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const all = await Promise.all(subjects(data).map((subject) => open(subject, upstream.url)));
  const running = await warmUp(
    all.filter((one) => one !== null),
    upstream.url,
  );
  for (const [title, isStreamed] of [
    ['One JSON answer', false],
    ['A stream of 32 deltas', true],
  ] as const)
    for (const clients of [1, 64])
      print(
        `${title}, ${clients} at once`,
        await compare(running, (one) => measure(one, upstream.url, isStreamed, clients)),
      );
  for (const { gateway } of running) await gateway.close();
  await upstream.stop();
  await rm(data, { recursive: true, force: true });
}

interface Running {
  readonly subject: Subject;
  readonly gateway: Gateway;
}

async function open(subject: Subject, upstream: string): Promise<Running | null> {
  try {
    const gateway = await subject.start(upstream);
    pin(gateway.pid, 0);
    return { subject, gateway };
  } catch (error) {
    return leaveOut(subject.name, error);
  }
}

function leaveOut(name: string, error: unknown): null {
  const { cause } = error as { readonly cause?: unknown };
  console.log(`${name} is left out: ${String(cause ?? error).slice(0, 500)}`);
  return null;
}

/** Those that answered all their requests. */
async function warmUp(opened: readonly Running[], upstream: string): Promise<readonly Running[]> {
  const warm: Running[] = [];
  for (const one of opened)
    try {
      for (const isStreamed of [false, true])
        await runStreamLoad(loadOf(one, upstream, isStreamed), 64, {
          requests: one.subject.warmUps ?? warmUps,
        });
      warm.push(one);
    } catch (error) {
      leaveOut(one.subject.name, error);
      await one.gateway.close();
    }
  return warm;
}

/** The figures of each subject, a round each. */
async function compare(
  running: readonly Running[],
  work: (one: Running) => Promise<Figures>,
): Promise<ReadonlyMap<string, readonly Figures[]>> {
  const known = new Map(running.map(({ subject }) => [subject.name, [] as Figures[]]));
  for (let round = 0; round < rounds; round++)
    for (const one of running) {
      const { name } = one.subject;
      const figures = known.has(name)
        ? await work(one).catch((error: unknown) => leaveOut(name, error))
        : null;
      if (figures === null) known.delete(name);
      else known.get(name)?.push(figures);
    }
  return known;
}

function loadOf({ subject, gateway }: Running, upstream: string, isStreamed: boolean): Load {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    url: gateway.url,
    path: subject.path,
    headers: { ...headers, ...subject.headers?.(upstream) },
    body: JSON.stringify({ ...subject.body, stream: isStreamed }),
  };
}

async function measure(
  one: Running,
  upstream: string,
  isStreamed: boolean,
  clients: number,
): Promise<Figures> {
  const load = loadOf(one, upstream, isStreamed);
  const startCpuMs = await one.gateway.cpuMs();
  const { requests, seconds: took, firstByteP50, p95 } = await runStreamLoad(load, clients, { seconds });
  const cpuMs = (await one.gateway.cpuMs()) - startCpuMs;
  return {
    cpuUs: (cpuMs * 1_000) / requests,
    perSecond: requests / took,
    firstByteMs: firstByteP50,
    p95Ms: p95,
  };
}

function print(title: string, known: ReadonlyMap<string, readonly Figures[]>): void {
  const floors = known.get(floor) ?? [];
  const rows = [...known].map(([name, figures]): Row => {
    const of = (read: (one: Figures) => number) => median(figures.map(read));
    const ratios = figures.map(({ cpuUs }, round) => cpuUs / (floors[round]?.cpuUs ?? Number.NaN));
    const over = figures.map(
      ({ firstByteMs }, round) => firstByteMs - (floors[round]?.firstByteMs ?? Number.NaN),
    );
    const range = `${toPlaces(Math.min(...ratios))}-${toPlaces(Math.max(...ratios))}`;
    const last = [of((one) => one.firstByteMs), median(over), of((one) => one.p95Ms)];
    return [
      name,
      of((one) => one.cpuUs),
      toPlaces(median(ratios)),
      range,
      of((one) => one.perSecond),
      ...last,
    ];
  });
  printTable(
    title,
    ['', 'CPU us each', 'of Fastify', 'range', 'per s', 'first byte ms', 'over Fastify', 'p95 ms'],
    rows,
  );
}

const toPlaces = (value: number) => value.toFixed(2);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Binds a process to one core where the system lets it. */
function pin(pid: number, core: number): void {
  if (cpus().length > 1) spawnSync('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' });
}

function subjects(data: string): Subject[] {
  const forward = (name: string, file: string): Subject => ({
    name,
    path: '/v1/chat/completions',
    body: chat,
    start: (upstream) => startModule(file, { BENCH_UPSTREAM: upstream }),
  });
  const nestor = (name: string, path: string, body: object): Subject[] =>
    [undefined, before].slice(0, before === undefined ? 1 : 2).map((checkout) => ({
      name: checkout === undefined ? name : `${name}, before`,
      path,
      body,
      start: (upstream) => startNestor(upstream, key, data, checkout),
    }));
  const peer = (of: PeerName, more: Omit<Subject, 'name' | 'start'>): Subject => ({
    ...more,
    name: nameOf(of),
    start: (upstream) => startPeer(of, upstream),
  });
  const liteLlm = (name: string, path: string, body: object): Subject => ({
    name: `${liteLlmName}, ${name}`,
    path,
    body: { ...body, model: 'instant' },
    warmUps: 100,
    start: (upstream) => startLiteLlm(upstream, key, data),
  });
  const all = [
    forward('bare Node and undici', 'forward-node.mjs'),
    forward(floor, 'forward-fastify.mjs'),
    ...nestor('Nestor, Messages', '/router/v1/messages', asked),
    ...nestor('Nestor, chat completions', '/router/v1/chat/completions', { ...chat, model: 'bench/instant' }),
    peer('@musistudio/llms', { path: '/v1/messages', body: { ...asked, model: 'bench,instant' } }),
    peer('@portkey-ai/gateway', {
      path: '/v1/chat/completions',
      headers: (upstream) => ({ 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` }),
      body: chat,
    }),
    liteLlm('Messages', '/v1/messages', asked),
    liteLlm('chat completions', '/v1/chat/completions', chat),
  ];
  return all.filter(({ name }) => name === floor || wanted.test(name));
}
