import type { Redis, RedisOptions } from 'ioredis';
import { take, type Admission } from '../../kernel/kit/bucket.ts';
import type { BucketCost } from './store/buckets.ts';

interface RedisBucketsOptions {
  /** `redis://…` or `rediss://…`; may carry a password and the number of a database. */
  readonly url: string;
  /** Longest wait for the first connection; without it the buckets open all the same. Unit: ms. */
  readonly connectTimeoutMs?: number;
}

const keyPrefix = 'nestor:bucket:';
const retryMaxMs = 2_000;
/** A connection that is dead without saying so is given up after this. */
const silenceMaxMs = 5_000;

/**
 * Buckets that several processes share, in Redis or Valkey. The connection comes back by itself whenever the server does;
 * never rejects for a server that is away. Throws a one-line Error for an address that is none.
 */
export async function openRedisBuckets(options: RedisBucketsOptions) {
  const { url, connectTimeoutMs = 2_000 } = options;
  // The error of `URL` carries the password.
  if (!URL.canParse(url))
    throw new Error(
      'redis: write redis://USER:PASSWORD@HOST:PORT/NUMBER, with %XX for special characters of the password',
    );
  // Imported here, so that it is loaded only where Redis is configured.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, toOptions(connectTimeoutMs));
  // The take that failed reports it.
  redis.on('error', () => {});
  const run = defineTake(redis);
  await redis.connect().catch(() => {});
  return {
    /**
     * Takes from every bucket or from none, in one round trip and by the clock of the server, whichever process asks.
     * One Admission per bucket, in order. Rejects at once while there is no connection.
     */
    async take(costs: readonly BucketCost[]): Promise<readonly Admission[]> {
      if (costs.length === 0) return [];
      const keys = costs.map(({ key }) => key);
      const numbers = costs.flatMap(({ rate, cost = 1 }) => [rate.capacity, rate.windowMs, cost]);
      const [now = 0, ...missing] = toDoubles(await run(keys, numbers), costs.length + 1);
      // The script has decided by the formula of `take`, in the same doubles; here the numbers for the headers follow.
      return costs.map(({ rate, cost = 1 }, index) =>
        take({ missing: missing[index] ?? 0, at: now }, now, rate, cost),
      );
    },
    isConnected: () => redis.status === 'ready',
    close(): Promise<void> {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}

/** Nothing is queued and nothing is sent again: a take that waited would charge a request that is long answered. */
function toOptions(connectTimeoutMs: number) {
  return {
    lazyConnect: true,
    connectionName: 'nestor',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMaxMs,
    retryStrategy: (times: number) => Math.min(times * 100, retryMaxMs),
    keyPrefix,
  } satisfies RedisOptions;
}

type RunTake = (keys: readonly string[], numbers: readonly number[]) => Promise<unknown>;

/** One script, sent whole once per connection and by its hash from then on. */
function defineTake(redis: Redis): RunTake {
  redis.defineCommand('takeTokens', { lua: takeScript });
  // The form of the command whose answer is bytes.
  const command: unknown = Reflect.get(redis, 'takeTokensBuffer');
  if (typeof command !== 'function') throw new TypeError('the script is not defined');
  return (keys, numbers) =>
    Promise.resolve(Reflect.apply(command, redis, [keys.length, ...keys, ...numbers]));
}

function toDoubles(reply: unknown, count: number): number[] {
  if (!Buffer.isBuffer(reply) || reply.length !== count * 8)
    throw new TypeError('the script answered otherwise');
  return Array.from({ length: count }, (_, index) => reply.readDoubleBE(index * 8));
}

/**
 * Answers the time and, per bucket, the tokens missing to a full one before this request, as doubles: Redis would cut
 * numbers to integers. A value holds how many tokens were held (below zero: owed) and when, so that a capacity that
 * changes clips what is held; it expires when the bucket is full, which is what a missing one is. A clock that was set
 * back stops the refill for no longer than until the next use. 0.001 ms is the slack of `kit/bucket.ts`.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local values = redis.call('MGET', unpack(KEYS))
local capacity, per_ms, cost, missing, stale, allowed = {}, {}, {}, {}, {}, true
for i = 1, #KEYS do
  capacity[i], cost[i] = tonumber(ARGV[i * 3 - 2]), tonumber(ARGV[i * 3])
  per_ms[i] = capacity[i] / tonumber(ARGV[i * 3 - 1])
  missing[i] = 0
  if values[i] then
    local held, at = struct.unpack('>dd', values[i])
    missing[i] = math.max(0, capacity[i] - held - math.max(0, now - at) * per_ms[i])
    stale[i] = at > now
  end
  if (capacity[i] - missing[i]) + 0.001 * per_ms[i] < math.min(cost[i], capacity[i]) then allowed = false end
end
for i = 1, #KEYS do
  if allowed or stale[i] then
    local after = missing[i] + (allowed and cost[i] or 0)
    redis.call('PSETEX', KEYS[i], math.ceil(after / per_ms[i]) + 1, struct.pack('>dd', capacity[i] - after, now))
  end
end
return struct.pack('>' .. string.rep('d', #KEYS + 1), now, unpack(missing))
`;
