import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startChild, type Child } from './support/child.ts';
import type { Load } from './support/load.ts';
import { runStreamLoad } from './support/stream-load.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'bench-root-key-0123456789';
const at = (file: string) => new URL(`./support/${file}`, import.meta.url);
const peersFolder = fileURLToPath(new URL('../node_modules/.cache/bench-peers', import.meta.url));
const peers = { '@musistudio/llms': '1.0.53', '@portkey-ai/gateway': '1.15.2' } as const;

const question =
  'Hello, I ordered a pair of running shoes two weeks ago and they still have not arrived. The tracking page has said ' +
  'the same thing since Monday. Please tell me in one sentence what I can do.';
const messages = [{ role: 'user', content: question }];
const system = 'You answer customers of a shop.';

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly headers: (upstream: string) => Readonly<Record<string, string>>;
  readonly body: object;
  start(upstream: string): Promise<Child>;
}

/**
 * CPU per request, requests per second and the first byte, between clients that do nothing and a model that does
 * nothing. The server under test has one core, everything else another.
 */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${cpus().length} cores`);
  const upstream = await startChild(at('instant-upstream.mjs'));
  pin(upstream.pid, 1);
  pin(process.pid, 1);
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const rows: Record<'json' | 'stream', Row[]> = { json: [], stream: [] };
  for (const subject of await subjects(data)) {
    for (const kind of ['json', 'stream'] as const) {
      for (const clients of [1, 64]) {
        rows[kind].push([subject.name, clients, ...(await measure(subject, upstream.url, kind, clients))]);
      }
    }
  }
  const head = ['', 'clients', 'CPU us each', 'per s', 'first byte ms', 'p95 ms'];
  printTable('One JSON answer', head, rows.json);
  printTable('A stream of 32 deltas', head, rows.stream);
  await upstream.stop();
  await rm(data, { recursive: true, force: true });
}

/** A process of its own for each measurement: one that failed leaves nothing behind for the next. */
async function measure(
  subject: Subject,
  upstream: string,
  kind: 'json' | 'stream',
  clients: number,
): Promise<Row> {
  let child: Child | null = null;
  try {
    child = await subject.start(upstream);
    pin(child.pid, 0);
    const load: Load = {
      url: child.url,
      path: subject.path,
      headers: subject.headers(upstream),
      body: JSON.stringify({ ...subject.body, stream: kind === 'stream' }),
    };
    await runStreamLoad(load, clients, 2);
    const before = await child.usage();
    const { requests, seconds, firstByteP50, p95 } = await runStreamLoad(load, clients, 3);
    const after = await child.usage();
    return [((after.cpuMs - before.cpuMs) * 1_000) / requests, requests / seconds, firstByteP50, p95];
  } catch (error) {
    return [error instanceof Error ? (error.message.split('\r\n')[0] ?? '') : String(error), '-', '-', '-'];
  } finally {
    await child?.stop();
  }
}

/** Binds a process to one core where the system lets it. */
function pin(pid: number, core: number): void {
  if (cpus().length > 1) spawnSync('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' });
}

async function subjects(data: string): Promise<Subject[]> {
  const bearer = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const chat = {
    model: 'instant',
    max_tokens: 256,
    messages: [{ role: 'system', content: system }, ...messages],
  };
  const asked = { model: 'bench/instant', max_tokens: 256, system, messages };
  const forward = (name: string, file: string): Subject => ({
    name,
    path: '/v1/chat/completions',
    headers: bearer,
    body: chat,
    start: (upstream) => startChild(at(file), { BENCH_UPSTREAM: upstream }),
  });
  const nestor = (name: string, path: string, body: object): Subject => ({
    name,
    path,
    headers: bearer,
    body,
    start: (upstream) => startNestor(upstream, data),
  });
  const problem = installPeers();
  const peer = (
    name: keyof typeof peers,
    file: string,
    entry: string,
    more: Omit<Subject, 'name' | 'start'>,
  ): Subject => ({
    ...more,
    name: `${name} ${peers[name]}`,
    start(upstream) {
      if (problem !== null) return Promise.reject(new Error(problem));
      const module = pathToFileURL(join(peersFolder, 'node_modules', name, entry)).href;
      return startChild(at(file), { BENCH_UPSTREAM: upstream, BENCH_PEER: module, NODE_ENV: 'production' });
    },
  });
  return [
    forward('bare Node and undici', 'forward-node.mjs'),
    forward('bare Fastify and undici', 'forward-fastify.mjs'),
    nestor('Nestor, Messages', '/router/v1/messages', asked),
    nestor('Nestor, chat completions', '/router/v1/chat/completions', { ...chat, model: 'bench/instant' }),
    peer('@musistudio/llms', 'peer-llms.mjs', 'dist/cjs/server.cjs', {
      path: '/v1/messages',
      headers: bearer,
      body: { ...asked, model: 'bench,instant' },
    }),
    peer('@portkey-ai/gateway', 'peer-portkey.mjs', 'build/start-server.js', {
      path: '/v1/chat/completions',
      headers: (upstream) => ({
        ...bearer(),
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${upstream}/v1`,
      }),
      body: chat,
    }),
  ];
}

/** The whole server: keys, limits, the ledger and the log are on. */
async function startNestor(upstream: string, data: string): Promise<Child> {
  const config = {
    log: { level: 'warn' },
    rate_limits: { tables: { router_qps: 1_000_000_000, router_rpm: 1_000_000_000 } },
    providers: [
      { name: 'bench', type: 'openai-compatible', base_url: `${upstream}/v1`, models: ['instant'] },
    ],
  };
  const file = join(data, 'bench.yaml');
  await writeFile(file, JSON.stringify(config));
  return startChild(at('nestor-server.mjs'), {
    NESTOR_CONFIG: file,
    NESTOR_DATA: data,
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: key,
  });
}

/** Null when both are there. */
function installPeers(): string | null {
  if (Object.keys(peers).every((name) => existsSync(join(peersFolder, 'node_modules', name)))) return null;
  const wanted = Object.entries(peers).map(([name, version]) => `${name}@${version}`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  try {
    execFileSync('npm', ['install', '--prefix', peersFolder, ...options, ...wanted], { stdio: 'ignore' });
    return null;
  } catch {
    return 'could not be installed';
  }
}
