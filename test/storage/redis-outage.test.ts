import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { scriptedEngine } from '../support/engines.ts';
import { exampleBodies } from '../support/examples.ts';
import { postgresSkipReason, startPostgres } from '../support/postgres.ts';
import { redisSkipReason, startRedis } from '../support/redis.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { hangMs, until } from '../support/until.ts';

/** Servers that share their limits, and what becomes of requests when what they share is gone. */

/**
 * For servers that have to count together: on a busy machine a shared store may answer later than requests wait for it, and
 * then each counts alone.
 */
const patient = { limitsDeadlineMs: hangMs };

/** One token comes back in 12 s, so that no test sees it. */
const config = 'rate_limits: { tables: { tokens: 5 } }';

const generate = async ({ post }: TestServer): Promise<number> =>
  (await post('/generate_auth_token', {})).status;

const decide = async ({ post }: TestServer): Promise<number> =>
  (await post('/v1/decisions', exampleBodies['createDecision'])).status;

const linesOf = ({ log }: TestServer): string[] =>
  log.map(({ msg }) => String(msg)).filter((line) => line.startsWith('rate limits'));

async function redisCheck({ url }: TestServer): Promise<string | undefined> {
  const response = await fetch(`${url}/readyz`);
  assert.equal(response.status, 200, 'requests are served all the same');
  return ((await response.json()) as { checks: Record<string, string> }).checks['redis'];
}

async function assertShared(servers: readonly TestServer[]): Promise<void> {
  const statuses: number[] = [];
  for (let i = 0; i < 8; i++) {
    const server = servers[i % servers.length];
    assert.ok(server);
    statuses.push(await generate(server));
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
}

suite('Redis', { skip: redisSkipReason() }, () => {
  test('two servers, each with a store of its own, share the limits of an account', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.close());
    const env = { NESTOR_REDIS_URL: redis.createDatabase() };
    const start = () => startServer(t, { ...patient, env, config });
    await assertShared(await Promise.all([start(), start()]));
  });

  for (const [about, end, begin] of [
    ['killed', 'SIGKILL', null],
    ['frozen', 'SIGSTOP', 'SIGCONT'],
  ] as const) {
    test(`while it is ${about} requests keep their answers, and later it is used again`, async (t) => {
      const redis = await startRedis();
      t.after(() => redis.close());
      const env = { NESTOR_REDIS_URL: redis.createDatabase() };
      const server = await startServer(t, { env, config, decisions: scriptedEngine() });
      const enough = new AbortController();
      const statuses = new Map<number, number>();
      const answers = () => statuses.values().reduce((sum, count) => sum + count, 0);
      const asking = Array.from({ length: 8 }, async () => {
        while (!enough.signal.aborted) {
          const status = await decide(server);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          await pause(2);
        }
      });
      await until(() => answers() > 20);
      await redis.signal(end);
      await until(() => linesOf(server).length === 1);
      assert.equal(await redisCheck(server), 'degraded');
      const before = answers();
      await until(() => answers() > before + 100);
      await (begin === null ? redis.start() : redis.signal(begin));
      await until(() => linesOf(server).length === 2);
      enough.abort();
      await Promise.all(asking);
      t.diagnostic(`answers: ${JSON.stringify([...statuses])}`);
      assert.deepEqual(
        [...statuses.keys()].filter((status) => status !== 200 && status !== 429),
        [],
      );
      assert.equal(await redisCheck(server), 'ok');
      const [lost, back] = linesOf(server);
      assert.match(String(lost), /counted by this process alone, the shared buckets fail: /);
      assert.match(String(back), /answer again/);
    });
  }

  test('a server starts without it, counts alone, and says so once', async (t) => {
    const env = { NESTOR_REDIS_URL: 'redis://:hunter2-not-to-be-told@127.0.0.1:1/0' };
    const server = await startServer(t, { env, config });
    await assertShared([server]);
    const lines = linesOf(server);
    assert.equal(lines.length, 1);
    assert.equal(JSON.stringify(server.log).includes('hunter2'), false);
  });
});

suite('PostgreSQL', { skip: postgresSkipReason() }, () => {
  test('two servers on one store share the limits; without it they count alone', async (t) => {
    const postgres = await startPostgres();
    t.after(() => postgres.close());
    const env = { NESTOR_DATABASE_URL: await postgres.createStore() };
    const start = () => startServer(t, { ...patient, env, config });
    const servers = await Promise.all([start(), start()]);
    await assertShared(servers);

    await postgres.stop('SIGKILL');
    const [one] = servers;
    assert.ok(one);
    // Root keys need no store, and neither do decisions.
    for (let i = 0; i < 5; i++) assert.equal(await decide(one), 200);
    assert.equal(linesOf(one).length, 1);
    assert.equal(await generate(one), 429, 'memory goes on from what the store said last');
    await postgres.start();
    await until(() => {
      void decide(one);
      return linesOf(one).length === 2;
    });
  });
});

test('a table for a bucket that does not exist stops the start and names what exists', async (t) => {
  await assert.rejects(
    startServer(t, { config: 'rate_limits: { tables: { decison: 5 } }' }),
    /^Error: rate_limits\.tables\.decison: no such bucket; did you mean decisions\? allowed: .*decisions, .*models.*tokens/,
  );
});
