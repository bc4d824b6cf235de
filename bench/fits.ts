import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readExamples } from '../src/features/decisions/evaluation/read-examples.ts';
import { shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { printTable, type Row } from './support/table.ts';

/**
 * `npm run bench fits DATA [EXAMPLES]`: time and CPU of a fit of a decider over HTTP, with so many examples of each label of
 * BANKING77: asked for at once behind the examples, of a server that was just started and of one that has answered before; once
 * they were read; and by a server that was started again. DATA holds banking77. On a machine that others use as well the CPU says more than the time.
 */
export async function run(): Promise<void> {
  const [folder = '', each = '10'] = process.argv.slice(3);
  const examples = drawExamples(join(folder, 'banking77', 'train.csv'), Number(each));
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const table: Row[] = [];
  const row = (name: string, { seconds, cpuSeconds, taken }: Fitted) =>
    table.push([name, seconds, cpuSeconds, taken, loadavg()[0] ?? 0]);
  try {
    await withServer(data, async (server) => {
      await give(server, 'cold', examples);
      row('at once, just started', await fit(server, 'cold'));
    });
    await withServer(data, async (server) => {
      // Opens the encoder, and has its code compiled.
      await call(server, 'POST', '/v1/decisions', {
        model: 'svc-decider-v1-27b',
        state: 'I lost my card',
        questions: { lost: { type: 'noul', instructions: 'Is a card lost?' } },
      });
      await untilIdle();
      await give(server, 'again', examples);
      row('at once', await fit(server, 'again'));
    });
    await withServer(data, async (server) => {
      row('after a restart', await fit(server, 'cold'));
      await give(server, 'warm', examples);
      await untilIdle();
      row('once they were read', await fit(server, 'warm'));
    });
  } finally {
    await rm(data, { recursive: true, force: true });
  }
  printTable(`A fit of ${examples.length} examples`, ['asked for', 's', 'CPU s', 'taken', 'load'], table);
}

function drawExamples(path: string, each: number): readonly object[] {
  const { examples } = readExamples(readFileSync(path), path, { split: 'train', outside: false });
  const byLabel = Map.groupBy(examples, ({ answer }) => answer);
  return [...byLabel.values()].flatMap((own) =>
    shuffle(own, 1)
      .slice(0, each)
      .map(({ state, question, answer }) => ({ state, question, answer })),
  );
}

async function withServer(data: string, work: (server: TestServer) => Promise<void>): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  const scope = { after: (close: () => Promise<void>) => void closers.push(close) };
  const config = JSON.stringify({ decisions: { engine: 'encoder' }, rate_limits: { enabled: false } });
  const server = await startServer(scope, { data, config, withEncoder: true });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** Examples of the decider, in calls of as many as one may have. */
async function give(server: TestServer, name: string, examples: readonly object[]): Promise<void> {
  await call(server, 'PUT', `/v1/deciders/${name}`, { engine: 'encoder' });
  for (let from = 0; from < examples.length; from += 1_000)
    await call(server, 'POST', `/v1/deciders/${name}/examples`, {
      examples: examples.slice(from, from + 1_000),
    });
}

interface Fitted {
  readonly seconds: number;
  /** Of the whole process. */
  readonly cpuSeconds: number;
  readonly taken: string;
}

async function fit(server: TestServer, name: string): Promise<Fitted> {
  const [cpu, begunMs] = [process.cpuUsage(), performance.now()];
  const { state } = await call(server, 'POST', `/v1/deciders/${name}/fit`, { wait: true });
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - begunMs) / 1_000;
  return { seconds, cpuSeconds: (user + system) / 1e6, taken: String(state) };
}

/** Nothing tells when examples are read but that nothing runs any more. */
async function untilIdle(): Promise<void> {
  for (let quiet = 0; quiet < 4;) {
    const before = process.cpuUsage();
    await pause(500);
    const { user, system } = process.cpuUsage(before);
    quiet = user + system < 50_000 ? quiet + 1 : 0;
  }
}

async function call(
  { url, key }: TestServer,
  method: string,
  path: string,
  json?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${key}` };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(`${url}${path}`, { method, headers, ...body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
