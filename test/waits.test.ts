import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { filesOf, root } from './support/suite-parts.ts';

/** `await pause(50)`, by any of its names, and a promise that a timer resolves. */
const fixedWait =
  /await (?:pause|delay|sleep|wait)\((?!0\))|setTimeout\(resolve,|setTimeout\(\(\) => \w+\.(?:abort|kill|destroy|end)\(/g;
/** An assertion in whose line the clock is read. */
const clockAssertion = /assert.*performance\.now\(\)/g;

/**
 * How many each file still has; a number only ever falls. What stays for good: moments of a kill, which have to be
 * random, and scripted servers that are slow on purpose.
 */
const left: Readonly<Record<string, number>> = {
  'src/features/decisions/engines/logprobs/parts.test.ts': 1,
  'src/kernel/http/pipeline.test.ts': 1,
  'src/features/jobs/worker.test.ts': 3,
  'src/kernel/kit/outbound.test.ts': 2,
  'test/contract/chat-stream.test.ts': 1,
  'test/contract/traps.test.ts': 1,
  'test/e2e/drain.test.ts': 1,
  'test/e2e/jobs-backend-away.test.ts': 1,
  'test/e2e/jobs.test.ts': 1,
  'test/e2e/kill-accounts.test.ts': 2,
  'test/e2e/kill-learning.test.ts': 1,
  'test/e2e/shutdown.test.ts': 1,
  'test/e2e/store-down.test.ts': 2,
  'test/e2e/worker-kill.test.ts': 1,
  'test/embeddings/local.test.ts': 1,
  'test/engines/local-lanes.test.ts': 1,
  'test/engines/local-turns.test.ts': 3,
  'test/engines/logprobs.test.ts': 1,
  'test/models/ai-sdk-package.test.ts': 1,
  'test/models/anthropic-server.test.ts': 2,
  'test/models/local.test.ts': 1,
  'test/sandbox/server-killed.test.ts': 1,
  'test/search/guard-bodies.test.ts': 1,
  'test/storage/kill.test.ts': 2,
  'test/storage/postgres-engine.test.ts': 1,
  'test/storage/postgres-kill.test.ts': 1,
  'test/storage/redis-outage.test.ts': 1,
  'test/storage/redis.test.ts': 1,
  'test/storage/sqlite-engine.test.ts': 2,
};

suite('waits of tests', () => {
  const own = 'test/waits.test.ts';
  const files = new Set([...filesOf('all'), ...filesOf('long')]).difference(new Set([own]));
  const count = (pattern: RegExp) =>
    Object.fromEntries(
      [...files]
        .map((path) => [path, readFileSync(root + path, 'utf8').match(pattern)?.length ?? 0] as const)
        .filter(([, found]) => found > 0),
    );

  test('are for an event or a turned clock: no file sleeps more often than it is listed with', () => {
    assert.deepEqual(count(fixedWait), left);
  });

  test('are no part of what is asserted: the clock is read in no assertion but two', () => {
    assert.deepEqual(count(clockAssertion), {
      'src/features/models/providers/extractive/index.test.ts': 1,
      'test/search/index-web.test.ts': 1,
    });
  });
});
