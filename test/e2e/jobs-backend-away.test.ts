import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openModels } from '../../src/features/models/open-models.ts';
import { openOpenAiCompatible } from '../../src/features/models/providers/openai-compatible/index.ts';
import { createJobAdministration } from '../../src/features/jobs/store/jobs-administration.ts';
import { createManualClock } from '../support/clock.ts';
import { isEnded, openJobsServer } from '../support/jobs.ts';
import { settings } from '../support/settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startUpstream } from '../support/upstream.ts';

const path = '/async/chat/completions';
const awayMs = 8_000;

const completion = {
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'A parrot. [1]' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
};

test('200 queued jobs and 8 s in which the model server answers 503: all are completed', async (t) => {
  const clock = createManualClock();
  let refused = 0;
  const upstream = await startUpstream(t, () => {
    if (clock.monotonic() >= awayMs) return { json: completion };
    refused++;
    return { json: { error: { message: 'loading' } }, status: 503 };
  });
  const provider = openOpenAiCompatible(
    {
      name: 'lab',
      baseUrl: `${upstream.url}/v1`,
      key: null,
      headers: {},
      models: ['bird'],
      timeoutMs: 30_000,
      totalTimeoutMs: 60_000,
    },
    { clock, ids: randomIds, random: () => 0 },
  );
  const own = Object.fromEntries(
    ['svc', 'svc-pro', 'svc-reasoning-pro', 'svc-deep-research'].map((name) => [name, ['lab/bird']]),
  );
  const models = openModels({
    settings: {
      family: settings.family,
      aliases: { upstream: true, models: {} },
      models: own,
      prices: {},
      balance: 'auto' as const,
      providers: [],
    },
    fallback: null,
    clock,
    onBackendFailure: () => {},
  });
  models.add({ provider, asked: false, prefer: null }, 0);
  const server = await openJobsServer({
    url: 'sqlite',
    dataFolder: await temporaryFolder(t),
    models,
    workers: 8,
    waits: { firstMs: 20, maxMs: 200 },
  });
  t.after(() => server.close());
  t.after(() => models.close());
  const body = {
    request: { model: 'svc', messages: [{ role: 'user', content: 'What is a kea?' }], disable_search: true },
  };
  await Promise.all(Array.from({ length: 200 }, () => server.send('POST', path, body)));
  const people = createJobAdministration(server.database.db);
  let wasResting = false;
  const begun = new Set<string>();
  for (;;) {
    clock.advance(100);
    wasResting ||= models.rests('svc/svc');
    const jobs = await people.list({ beforeOrdinal: null, limit: 200 });
    for (const { id, status } of jobs) {
      // One that was begun never looks as if it had not been.
      assert.ok(status !== 'CREATED' || !begun.has(id));
      if (status === 'IN_PROGRESS') begun.add(id);
    }
    if (jobs.every(isEnded)) break;
    await pause(10);
  }
  const jobs = await people.list({ beforeOrdinal: null, limit: 200 });
  assert.equal(jobs.length, 200);
  assert.deepEqual([...new Set(jobs.map(({ status }) => status))], ['COMPLETED']);
  assert.ok(wasResting, 'the server was found away');
  t.diagnostic(`${refused} requests were answered 503`);
  assert.ok(refused < 200, 'jobs that wait do not ask');
});
