import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { openBareDecider, type BareDecider } from './support/bare-decider.ts';
import { startChild, type Child } from './support/child.ts';
import { runLoad } from './support/load.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'bench-root-key-0123456789';
const nestor = new URL('./support/nestor-server.ts', import.meta.url);
const rounds = 3;
const seconds = 3;

const topics =
  'refund delivery exchange invoice password login complaint praise size colour stock voucher'.split(' ');
const topic = (index: number): string => topics[index % topics.length] ?? '';
/** Of as many tokens as any other. */
const named = (index: number) =>
  [index, index / 12, index / 144, index / 1_728].map((at) => topic(Math.floor(at))).join(' ');

const states = {
  short: (index: number) => `Please tell me about ${named(index)} now.`,
  long: (index: number) =>
    `I asked about ${named(index)} two weeks ago and it has still not arrived. The page says that it is in Leipzig ` +
    'since Monday and nobody answers my mails. Can you please tell me where it is?',
};
const noul = (index: number) => ({ type: 'noul', instructions: `Is it about a ${topic(index)} of order 7?` });
const options = Array.from({ length: 150 }, (_, index) => `${topic(index)} ${index}`);

interface Case {
  readonly name: string;
  readonly state: (index: number) => string;
  readonly questions: Readonly<Record<string, unknown>>;
  readonly asked: readonly NormalizedQuestion[];
  readonly clients: readonly number[];
}

const nouls = (count: number) => Array.from({ length: count }, (_, index) => noul(index));
const caseOf = (name: string, state: Case['state'], count: number, clients: readonly number[]): Case => ({
  name,
  state,
  questions: Object.fromEntries(nouls(count).map((question, index) => [`q${index}`, question])),
  asked: nouls(count).map(({ instructions }) => ({
    kind: 'noul',
    question: instructions,
    options: ['true', 'false'].map((one) => ({ name: one, description: '' })),
  })),
  clients,
});

const cases: readonly Case[] = [
  caseOf('one noul, short state', states.short, 1, [1, 64]),
  caseOf('one noul', states.long, 1, [1, 64]),
  caseOf('five nouls', states.long, 5, [1]),
];
/** Only where vectors of options are kept: others read a row for each, or for each few. */
const many: Case = {
  name: 'one choice of 150',
  state: states.long,
  questions: { q: { type: 'choice', criteria: Object.fromEntries(options.map((option) => [option, null])) } },
  asked: [{ kind: 'choice', question: '', options: options.map((name) => ({ name, description: '' })) }],
  clients: [1],
};

interface Measured {
  readonly perSecond: number;
  /** Of the whole process. Unit: ms each. */
  readonly cpuMs: number;
}

/**
 * Decisions by models in ONNX form, beside the same rows in the runtime alone, one after the other. `npm run bench onnx
 * [FOLDER...]`; takes onnxruntime-node where that can be imported.
 */
export async function run(): Promise<void> {
  const weights = process.env['NESTOR_TEST_WEIGHTS'] ?? join(homedir(), '.cache/nestor/weights');
  const named = process.argv.slice(3);
  for (const path of named.length > 0 ? named : [join(weights, 'minilm-int8')]) await benchModel(path);
  process.exit(0);
}

async function benchModel(path: string): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const bare = await openBareDecider(path);
  const server = await startChild(nestor, {
    NESTOR_DATA: data,
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: key,
    NESTOR_DETECT: 'false',
    BENCH_DOCS: 'off',
    NESTOR_RATE_LIMITS_ENABLED: 'false',
    NESTOR_DECISIONS_ENGINE: 'onnx',
    NESTOR_DECISIONS_PATH: path,
    NESTOR_LOG_LEVEL: 'error',
  });
  try {
    const rows: Row[] = [];
    // Each request has a state of its own: what was made of one is kept for a while.
    let asked = 0;
    const next = () => asked++;
    for (const one of bare.adapter === 'cosine' ? [...cases, many] : cases)
      rows.push(...(await benchCase(server, bare, one, next)));
    const title = `${basename(path)}, ${bare.adapter}, ${bare.runtime}, ${cpus().length} cores, Node ${process.version}`;
    printTable(title, ['', 'tokens', 'per s', 'CPU ms each', 'per s / bare', 'CPU / bare'], rows);
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** In turn, so that a drift of the machine hits all alike; the median of each, and that of what it is to the bare one beside it. */
async function benchCase(
  server: Child,
  bare: BareDecider,
  one: Case,
  next: () => number,
): Promise<readonly Row[]> {
  const { name, clients, state, questions } = one;
  const texts = await bare.rowsOf(state(next()), one.asked);
  const tokens = await bare.read(texts);
  const floor: Measured[] = [];
  const ours = new Map(clients.map((count) => [count, [] as Measured[]]));
  const body = () => JSON.stringify({ model: 'svc-decider-v1-27b', state: state(next()), questions });
  for (let round = 0; round < rounds; round++) {
    floor.push(await measureBare(() => bare.read(texts)));
    for (const [count, found] of ours) found.push(await measure(server, body, count));
  }
  const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
  const toRow = (label: string, found: readonly Measured[]): Row => [
    label,
    tokens,
    medianOf(found.map(({ perSecond }) => perSecond)),
    medianOf(found.map(({ cpuMs }) => cpuMs)),
    medianOf(found.map(({ perSecond }, at) => perSecond / (floor[at]?.perSecond ?? NaN))),
    medianOf(found.map(({ cpuMs }, at) => cpuMs / (floor[at]?.cpuMs ?? NaN))),
  ];
  return [
    toRow(`${name}, bare`, floor),
    ...[...ours].map(([count, found]) => toRow(`${name}, ${count} clients`, found)),
  ];
}

async function measureBare(read: () => Promise<number>): Promise<Measured> {
  await read();
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let count = 0;
  for (; performance.now() - startedMs < seconds * 1_000; count++) await read();
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (count * 1_000) / (performance.now() - startedMs),
    cpuMs: (user + system) / 1_000 / count,
  };
}

async function measure(server: Child, body: () => string, clients: number): Promise<Measured> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const load = { url: server.url, path: '/v1/decisions', headers, body };
  await runLoad(load, clients, 0.5);
  const before = await server.usage();
  const { requests, seconds: elapsed } = await runLoad(load, clients, seconds);
  const after = await server.usage();
  return { perSecond: requests / elapsed, cpuMs: (after.cpuMs - before.cpuMs) / requests };
}
