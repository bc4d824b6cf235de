import assert from 'node:assert/strict';
import { after, before, suite, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

import { Redis } from 'ioredis';

import { openRedisBuckets } from '../../src/features/accounts/redis-buckets.ts';
import { redisSkipReason, startRedis, type TestRedis } from '../support/redis.ts';
import { frozen, minute, second, testBuckets } from './suite-buckets.ts';

test('a server that is away keeps nothing from opening, and every take rejects at once', async () => {
  const buckets = await openRedisBuckets({ url: 'redis://127.0.0.1:1', connectTimeoutMs: 500 });
  await assert.rejects(buckets.take([{ key: 'a', rate: second(1) }]));
  await buckets.close();
});

test('an address that is none is refused in one line without its password', async () => {
  await assert.rejects(openRedisBuckets({ url: 'redis://:se/cret@cache:6379' }), (error: Error) => {
    assert.match(error.message, /^redis: write redis:\/\/USER:PASSWORD@HOST/);
    return !inspect(error).includes('cret');
  });
});

suite('buckets in Redis', { skip: redisSkipReason() }, () => {
  let server: TestRedis;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.close());

  async function open(context: TestContext) {
    const url = server.createDatabase();
    const buckets = await openRedisBuckets({ url });
    const redis = new Redis(url);
    context.after(async () => {
      await buckets.close();
      redis.disconnect();
    });
    const nameOf = (key: string) => `nestor:bucket:${key}`;
    const valueOf = async (key: string) => {
      const value = await redis.getBuffer(nameOf(key));
      assert.ok(value?.length === 16);
      return { held: value.readDoubleBE(0), at: value.readDoubleBE(8) };
    };
    const setBack = async (key: string, byMs: number) => {
      const { held, at } = await valueOf(key);
      const later = Buffer.alloc(16);
      later.writeDoubleBE(held);
      later.writeDoubleBE(at + byMs, 8);
      await redis.set(nameOf(key), later);
    };
    return { url, buckets, redis, valueOf, setBack };
  }

  testBuckets(open);

  test('a key is gone when its bucket is full, and not before', async (context) => {
    const { buckets, redis } = await open(context);
    await buckets.take([{ key: 'a', rate: minute(60), cost: 30 }]);
    const leftMs = await redis.pttl('nestor:bucket:a');
    assert.ok(leftMs > 0 && leftMs <= 30_001, `${leftMs}`);
    await buckets.take([{ key: 'b', rate: second(100) }]);
    await pause(50);
    assert.equal(await redis.exists('nestor:bucket:b'), 0);
  });

  test('the script survives a server that forgets it', async (context) => {
    const { buckets, redis } = await open(context);
    await buckets.take([{ key: 'a', rate: frozen(5) }]);
    await redis.script('FLUSH');
    const [again] = await buckets.take([{ key: 'a', rate: frozen(5) }]);
    assert.equal(again?.remaining, 3);
  });
});
