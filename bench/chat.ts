import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatEvent } from '../src/features/chat/events.ts';
import { createJobQueue } from '../src/features/jobs/queue.ts';
import { openWorkers, type JobResult } from '../src/features/jobs/worker.ts';
import { systemClock } from '../src/kernel/kit/clock.ts';
import { randomIds } from '../src/kernel/kit/ids.ts';
import { chatModelsOf } from '../src/features/chat/wire/chat-models.ts';
import { ChatRecord } from '../src/features/chat/wire/chat-record.ts';
import { ConciseStream } from '../src/features/chat/wire/chat/streams.ts';
import { FullStream } from '../src/features/chat/wire/chat/streams.ts';
import { openDatabase } from '../src/kernel/store/database.ts';
import { createJobs, type JobRow } from '../src/features/jobs/store/jobs.ts';
import { postgresSkipReason, startPostgres } from '../test/support/postgres.ts';
import { settings } from '../test/support/settings.ts';
import { startChild, type Child } from './support/child.ts';
import type { Load } from './support/load.ts';
import { runStreamLoad } from './support/stream-load.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'bench-root-key-0123456789';
const seconds = 3;

/** What a completion costs beside the model: the first token, CPU, chunks as they grow, and jobs. */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${cpus().length} cores`);
  await benchRequests();
  benchChunks();
  await benchJobs();
}

/** The whole server with its own index, over a model that answers at once with 32 deltas. */
async function benchRequests(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const upstream = await startChild(new URL('support/instant-upstream.mjs', import.meta.url));
  const server = await startNestor(upstream.url, data);
  const sources = await waitForIndex(server);
  const rows: Row[] = [];
  const wishes = [
    ['one JSON answer', {}],
    ['stream, full', { stream: true }],
    ['stream, concise', { stream: true, stream_mode: 'concise' }],
    ['stream, no search', { stream: true, disable_search: true }],
  ] as const;
  for (const [name, wish] of wishes)
    for (const clients of [1, 16]) {
      const load: Load = {
        url: server.url,
        path: '/chat/completions',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'svc',
          messages: [{ role: 'user', content: 'How do I revoke a token?' }],
          ...wish,
        }),
      };
      rows.push([name, clients, ...(await measure(server, load, clients))]);
    }
  printTable(
    `Requests: an instant model, ${sources} sources of the own index`,
    ['', 'clients', 'CPU us each', 'per s', 'first byte ms', 'p95 ms'],
    rows,
  );
  await server.stop();
  await upstream.stop();
  await rm(data, { recursive: true, force: true });
}

async function startNestor(upstream: string, data: string): Promise<Child> {
  const file = join(data, 'bench.yaml');
  const config = {
    log: { level: 'warn' },
    rate_limits: { enabled: false },
    models: { svc: 'bench/instant' },
    providers: [
      { name: 'bench', type: 'openai-compatible', base_url: `${upstream}/v1`, models: ['instant'] },
    ],
  };
  await writeFile(file, JSON.stringify(config));
  return startChild(new URL('support/nestor-server.ts', import.meta.url), {
    NESTOR_CONFIG: file,
    NESTOR_DATA: data,
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: key,
  });
}

/** The documentation is indexed behind a start. Resolves to the number of sources that the question has. */
async function waitForIndex({ url }: Child): Promise<number> {
  for (let tries = 0; tries < 60; tries++) {
    const response = await fetch(`${url}/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: 'How do I revoke a token?' }),
    });
    const { results } = (await response.json()) as { results: readonly unknown[] };
    if (results.length > 0) return results.length;
    await pause(500);
  }
  return 0;
}

async function measure(server: Child, load: Load, clients: number): Promise<number[]> {
  await runStreamLoad(load, clients, { seconds: 1 });
  const before = await server.usage();
  const { requests, seconds: took, firstByteP50, p95 } = await runStreamLoad(load, clients, { seconds });
  const after = await server.usage();
  return [((after.cpuMs - before.cpuMs) * 1_000) / requests, requests / took, firstByteP50, p95];
}

/** Chunks of answers of growing length, with ten sources: what each costs to make, and how much is sent. */
function benchChunks(): void {
  const rows: Row[] = [];
  for (const words of [250, 1_000, 4_000, 16_000]) {
    for (const [name, Stream] of [
      ['full', FullStream],
      ['concise', ConciseStream],
    ] as const) {
      const stream = new Stream(newRecord());
      stream.push([{ type: 'grounding', grounding }]);
      let [bytes, chunks] = [0, 0];
      const startedAt = performance.now();
      for (let at = 0; at < words; at++) {
        const events: ChatEvent[] = [{ type: 'text', text: `word${at} ` }];
        for (const { data } of stream.push(events)) {
          bytes += Buffer.byteLength(data);
          chunks++;
        }
      }
      const ms = performance.now() - startedAt;
      rows.push([
        name,
        words,
        chunks,
        (ms * 1_000) / words,
        (ms * 1_000_000) / (bytes / 1_024),
        bytes / 1_048_576,
      ]);
    }
  }
  printTable('Chunks', ['', 'deltas', 'chunks', 'us a delta', 'ns a KiB', 'MiB'], rows);
}

const grounding = {
  sources: Array.from({ length: 10 }, (_, at) => ({
    title: `A page about keas, number ${at}`,
    url: `https://site${at}.example/kea`,
    date: '2026-01-02',
    lastUpdated: null,
    snippet: 'The kea is a parrot of the mountains. '.repeat(8),
    kind: 'web' as const,
  })),
  images: null,
  videos: null,
  related: null,
  queries: 1,
  engines: null,
};

function newRecord(): ChatRecord {
  const model = chatModelsOf(settings).get('svc');
  if (model === undefined) throw new Error('no model');
  return new ChatRecord({
    id: randomIds.uuid(),
    modelName: 'svc',
    created: 1,
    model,
    promptTokens: 10,
    contextSize: 'low',
    isPro: false,
    citations: true,
  });
}

const jobsCount = 3_000;

/** Jobs whose work is nothing: created by 32 clients at once, then run by workers, each ending with its ledger row. */
async function benchJobs(): Promise<void> {
  const rows: Row[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  for (const workers of [4, 16])
    rows.push([
      'SQLite',
      workers,
      ...(await measureJobs(`sqlite:${join(folder, `${workers}.db`)}`, folder, workers)),
    ]);
  const reason = postgresSkipReason();
  if (reason === false) {
    const postgres = await startPostgres({ fsync: true });
    for (const workers of [4, 16])
      rows.push([
        'PostgreSQL',
        workers,
        ...(await measureJobs(await postgres.createDatabase(), folder, workers)),
      ]);
    await postgres.close();
  } else rows.push(['PostgreSQL', '-', reason, '-']);
  printTable(`${jobsCount} jobs`, ['', 'workers', 'created per s', 'run per s'], rows);
  await rm(folder, { recursive: true, force: true });
}

async function measureJobs(url: string, dataFolder: string, workersMax: number): Promise<readonly number[]> {
  const database = await openDatabase(url, { dataFolder });
  const jobs = createJobs(database.db);
  const common = {
    jobs,
    clock: systemClock,
    giveUpAfterMs: 3_600_000,
    random: () => 0,
    retentionMs: 604_800_000,
  };
  const queue = createJobQueue({ ...common, secret: 'bench', ids: randomIds, wake: () => {} });
  const request = { model: 'svc', messages: [{ role: 'user', content: 'What is a kea?' }] };
  const createdAt = performance.now();
  let left = jobsCount;
  const clients = Array.from({ length: 32 }, async () => {
    while (left-- > 0)
      await queue.create({ accountId: 'a', keyId: 'k', model: 'svc', request, idempotencyKey: null });
  });
  await Promise.all(clients);
  const startedAt = performance.now();
  const over = Promise.withResolvers<void>();
  const workers = openWorkers({
    ...common,
    run: (job) => Promise.resolve(toResult(job)),
    workers: workersMax,
    owner: randomIds.uuid(),
    isAlone: true,
    onError: (error) => over.reject(error),
  });
  const poll = setInterval(() => {
    jobs.list({ accountId: 'a', createdAfterMs: 0, beforeOrdinal: null, limit: 1 }).then(
      ([last]) => last?.status === 'COMPLETED' && over.resolve(),
      (error: unknown) => over.reject(error),
    );
  }, 20);
  await over.promise;
  clearInterval(poll);
  const endedAt = performance.now();
  await workers.close();
  await database.close();
  return [(jobsCount / (startedAt - createdAt)) * 1_000, (jobsCount / (endedAt - startedAt)) * 1_000];
}

const response = JSON.stringify({ content: 'The kea is a parrot. '.repeat(100) });

function toResult({ id, accountId, keyId }: JobRow): JobResult {
  return {
    response,
    usage: {
      id,
      requestId: id,
      accountId,
      keyId,
      operation: 'createAsyncChatCompletion',
      model: 'svc',
      inputTokens: 10,
      outputTokens: 500,
      otherUnits: null,
      costParts: { input: 0.00001, output: 0.0005 },
      costUsd: 0.00051,
      status: 200,
      durationMs: 1,
      createdAtMs: Date.now(),
    },
  };
}
