import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { createLimiter, type BucketStore } from '../src/features/accounts/limiter.ts';
import { createMemoryBuckets } from '../src/features/accounts/memory-buckets.ts';
import { openRedisBuckets } from '../src/features/accounts/redis-buckets.ts';
import { systemClock } from '../src/kernel/kit/clock.ts';
import { createSharedBuckets } from '../src/features/accounts/store/buckets.ts';
import { openDatabase } from '../src/kernel/store/database.ts';
import { createUsage } from '../src/features/accounts/store/usage.ts';
import { usageRow } from '../test/storage/suite-metering.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { startRedis } from '../test/support/redis.ts';
import { startChild, type Child } from './support/child.ts';
import { runLoad } from './support/load.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'bench-root-key-0123456789';
const callers = 64;
const rounds = 3;
/** Nobody is refused: what is measured is the taking. */
const pointsPerMinute = 1_000_000_000;
const limits = [
  { name: 'second', windowMs: 1_000, capacity: pointsPerMinute / 60 },
  { name: 'minute', windowMs: 60_000, capacity: pointsPerMinute },
];

/** What keys, limits and the ledger cost per request, and how fast buckets and the ledger are, beside a library. */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${cpus().length} cores`);
  await benchRequests();
  const redis = await startRedis();
  const postgres = await startPostgres({ fsync: true });
  try {
    await benchTakes(redis.createDatabase(), await postgres.createDatabase());
    await benchLedger(await postgres.createDatabase());
  } finally {
    await postgres.close();
    await redis.close();
  }
}

/** In turn, so that a drift of the machine hits both alike. */
async function benchRequests(): Promise<void> {
  const module = new URL('./support/accounts-server.ts', import.meta.url);
  const modes = ['open', 'limits', 'ledger'] as const;
  const servers = await Promise.all(
    modes.map((mode) => startChild(module, { BENCH_KEY: key, BENCH_ACCOUNTS: mode })),
  );
  const rows: Row[] = [];
  for (let round = 1; round <= 5; round++) {
    const used: number[] = [];
    for (const server of servers) used.push(await cpuPerRequest(server));
    rows.push([`round ${round}`, ...used, (used[2] ?? 0) - (used[0] ?? 0)]);
  }
  for (const server of servers) await server.stop();
  printTable(
    `One operation that does nothing, ${callers} clients, CPU us per request`,
    ['', 'open', 'key, two limits', 'and ledger', 'difference'],
    rows,
  );
}

async function cpuPerRequest(server: Child): Promise<number> {
  const load = { url: server.url, path: '/bench', headers: { authorization: `Bearer ${key}` }, body: '{}' };
  await runLoad(load, callers, 0.5);
  const before = await server.usage();
  const { requests } = await runLoad(load, callers, 2);
  return (((await server.usage()).cpuMs - before.cpuMs) * 1_000) / requests;
}

type Take = (account: string) => unknown;

async function benchTakes(redisUrl: string, postgresUrl: string): Promise<void> {
  const buckets = await openRedisBuckets({ url: redisUrl });
  const database = await openDatabase(postgresUrl, { dataFolder: '/nowhere' });
  const redis = new Redis(redisUrl);
  const pool = new Pool({ connectionString: postgresUrl, max: 10 });
  const options = limits.map(({ name, windowMs, capacity }) => ({
    keyPrefix: name,
    points: capacity,
    duration: windowMs / 1_000,
  }));
  const inMemory = options.map((option) => new RateLimiterMemory(option));
  const inRedis = options.map((option) => new RateLimiterRedis({ ...option, storeClient: redis }));
  const inPostgres = await Promise.all(options.map((option) => openInPostgres(option, pool)));
  const library = 'rate-limiter-flexible';
  const cases: readonly (readonly [string, Take])[] = [
    ['memory: ours, two rates', ours(createMemoryBuckets(systemClock))],
    [`memory: ${library}, one rate`, oneOf(inMemory)],
    [`memory: ${library}, two rates, not atomic`, bothOf(inMemory)],
    ['Redis: ours, two rates', ours(buckets)],
    [`Redis: ${library}, one rate`, oneOf(inRedis)],
    [`Redis: ${library}, two rates, not atomic`, bothOf(inRedis)],
    ['PostgreSQL: ours, two rates', ours(createSharedBuckets(database))],
    [`PostgreSQL: ${library}, one rate`, oneOf(inPostgres)],
    [`PostgreSQL: ${library}, two rates, not atomic`, bothOf(inPostgres)],
  ];
  // In turn, and the best of the rounds: what else the machine does only ever takes away.
  const best = cases.map(() => [0, 0]);
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, take]] of cases.entries()) {
      const [shared = 0, own = 0] = best[index] ?? [];
      best[index] = [
        Math.max(shared, await takesPerSecond(() => take('one'))),
        Math.max(own, await takesPerSecond((caller) => take(`a${caller}`))),
      ];
    }
  }
  await buckets.close();
  await database.close();
  redis.disconnect();
  await pool.end();
  printTable(
    `Takes per second, ${callers} callers in one process, best of ${rounds} rounds`,
    ['', 'one account', 'an account each'],
    cases.map(([name], index): Row => [name, ...(best[index] ?? [])]),
  );
}

function ours(store: BucketStore): Take {
  const limiter = createLimiter({ store, enabled: true, tables: {} });
  return (account) => limiter.take(limits, account, 0);
}

function oneOf([first]: readonly RateLimiterAbstract[]): Take {
  return (account) => first?.consume(account);
}

function bothOf(limiters: readonly RateLimiterAbstract[]): Take {
  return (account) => Promise.all(limiters.map((limiter) => limiter.consume(account)));
}

function openInPostgres(
  option: { keyPrefix: string; points: number; duration: number },
  pool: Pool,
): Promise<RateLimiterPostgres> {
  return new Promise((resolve, reject) => {
    const { keyPrefix } = option;
    const limiter: RateLimiterPostgres = new RateLimiterPostgres(
      { ...option, storeClient: pool, tableName: `limits_${keyPrefix}`, clearExpiredByTimeout: false },
      (error?: Error) => {
        if (error) reject(error);
        else resolve(limiter);
      },
    );
  });
}

async function takesPerSecond(take: (caller: number) => unknown): Promise<number> {
  let taken = 0;
  const takeUntil = async (endsAt: number, caller: number) => {
    while (performance.now() < endsAt) {
      const result = take(caller);
      if (result instanceof Promise) await result;
      taken++;
      // What answers at once must not keep the others from their turn.
      if (!(result instanceof Promise) && taken % 1_000 === 0) await Promise.resolve();
    }
  };
  const all = (forMs: number) => {
    const endsAt = performance.now() + forMs;
    return Promise.all(Array.from({ length: callers }, (_, caller) => takeUntil(endsAt, caller)));
  };
  await all(200);
  taken = 0;
  const startedAt = performance.now();
  await all(700);
  return (taken * 1_000) / (performance.now() - startedAt);
}

/** Batches as the meter hands them on; each is durable when the next begins. */
async function benchLedger(postgresUrl: string): Promise<void> {
  const rows: Row[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  for (const [name, url] of [
    ['SQLite', 'sqlite'],
    ['PostgreSQL', postgresUrl],
  ] as const) {
    const database = await openDatabase(url, { dataFolder: folder });
    const usage = createUsage(database.db);
    let written = 0;
    const startedAt = performance.now();
    while (performance.now() - startedAt < 3_000) {
      const batch = Array.from({ length: 500 }, () => usageRow(`row ${written++}`));
      await usage.insertBatch(batch);
    }
    rows.push([name, (written * 1_000) / (performance.now() - startedAt)]);
    await database.close();
  }
  await rm(folder, { recursive: true, force: true });
  printTable('Rows of the ledger per second, batches of 500', ['', 'rows per s'], rows);
}
