import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { Job, JobList } from '../../src/features/chat/wire/async/schema.ts';
import { chatModels } from '../support/chat.ts';
import { createManualClock } from '../support/clock.ts';
import { openJobsServer, waitForJob, type Job as ReadJob } from '../support/jobs.ts';
import { breaks, finish, says, text, type Script } from '../support/models.ts';
import { assertMatches } from '../support/strict.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Contract 10 over a store in a file and models in memory. */
const gate = Promise.withResolvers<void>();
const answer: Script = async function* waits(request, signal) {
  const asked = JSON.stringify(request.turns);
  if (asked.includes('wait')) await gate.promise;
  if (asked.includes('broken')) yield* breaks(new Fault('bad_gateway'))(request, signal);
  if (asked.includes('defect')) yield* breaks(new TypeError('x is undefined at /srv/a.ts'))(request, signal);
  yield* says([text('The kea is a parrot [1].')], finish())(request, signal);
};

const clock = createManualClock();
const dataFolder = await temporaryFolder({ after });
const server = await openJobsServer({ url: 'sqlite', dataFolder, models: chatModels(answer), clock });
after(() => server.close());
const { send } = server;

const canonical = '/async/chat/completions';
const families = [canonical, '/v1/async/svc', '/v1/async/sonar'];
const request = (content = 'What is a kea?', more: object = {}) => ({
  model: 'sonar-deep-research',
  messages: [{ role: 'user', content }],
  ...more,
});

async function create(body: object, key = 'acme'): Promise<ReadJob> {
  const response = await send('POST', canonical, body, key);
  const job = (await response.json()) as ReadJob;
  assert.equal(response.status, 200, JSON.stringify(job));
  assertMatches(Job, job, 'a job');
  return job;
}

interface Problem {
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly code: number;
    readonly param: string;
  };
  readonly detail?: readonly {
    readonly loc: readonly string[];
    readonly msg: string;
    readonly type: string;
  }[];
}

async function refused(response: Response, status: number): Promise<Problem> {
  const problem = (await response.json()) as Problem;
  assert.equal(response.status, status, JSON.stringify(problem));
  assert.equal(problem.error.code, status);
  assert.equal(problem.detail !== undefined, status === 422);
  return problem;
}

interface List {
  readonly requests: readonly ReadJob[];
  readonly next_token: string;
}

async function list(query: string, key = 'acme'): Promise<List> {
  const response = await send('GET', canonical + query, undefined, key);
  const body = (await response.json()) as List;
  assert.equal(response.status, 200, JSON.stringify(body));
  assertMatches(JobList, body, 'a list');
  return body;
}

suite('a job', () => {
  test('is created, runs and holds the whole reply; both path families show the same one', async () => {
    const job = await create({ request: request(undefined, { stream: true, stream_mode: 'concise' }) });
    assert.deepEqual(
      [
        job.status,
        job.model,
        job.started_at,
        job.completed_at,
        job.failed_at,
        job.response,
        job.error_message,
      ],
      ['CREATED', 'sonar-deep-research', null, null, null, null, null],
    );
    const ended = await waitForJob(server, job.id);
    assertMatches(Job, ended, 'an ended job');
    assert.equal(ended.status, 'COMPLETED', JSON.stringify(ended));
    assert.match(ended.response?.choices[0]?.message.content ?? '', /The kea is a parrot \[1\]\.$/);
    assert.ok(ended.started_at !== null && ended.completed_at !== null && ended.failed_at === null);
    for (const path of families)
      assert.deepEqual(await (await send('GET', `${path}/${job.id}?local_mode=true`)).json(), ended, path);
  });

  test('is one row of the ledger under its id', async () => {
    const job = await create({ request: request('Once') });
    await waitForJob(server, job.id);
    const rows = await server.database.db
      .selectFrom('usage')
      .select(['operation', 'model', 'account_id', 'key_id'])
      .where('id', '=', job.id)
      .execute();
    assert.deepEqual(rows, [
      {
        operation: 'createAsyncChatCompletion',
        model: 'svc-deep-research',
        account_id: 'acme',
        key_id: 'key-acme',
      },
    ]);
  });

  test('fails with a word of ours for a backend that fails and for a defect', async () => {
    const broken = await create({ request: request('broken') });
    const failed = await waitForJob(server, broken.id);
    assertMatches(Job, failed, 'a failed job');
    assert.deepEqual(
      [failed.status, failed.error_message, failed.response, failed.completed_at],
      ['FAILED', 'The backend gave an unusable answer.', null, null],
    );
    assert.ok(failed.failed_at !== null);
    const defect = await waitForJob(server, (await create({ request: request('defect') })).id);
    assert.equal(defect.error_message, 'internal error');
  });
});

suite('creating', () => {
  test('the request is validated like a completion, with the way to it in front', async () => {
    const cases: readonly (readonly [object, string, RegExp])[] = [
      [{}, 'request', /Missing required field "request"/],
      [{ request: 'x' }, 'request', /must be an object/],
      [{ request: { messages: [] } }, 'request.model', /Missing required field "model"/],
      [{ request: request('a', { model: 'svc-reasoning' }) }, 'request.model', /was removed/],
      [{ request: request('a', { max_tokens: 0 }) }, 'request.max_tokens', /^max_tokens must be/],
      [{ request: { model: 'svc', messages: [] } }, 'request.messages', /non-empty/],
      [
        { request: request('a', { messages: [{ role: 'assistant', content: 'a' }] }) },
        'request.messages',
        /should alternate/,
      ],
      [
        { request: request('a', { tools: [{ type: 'function', function: { name: 'f' } }] }) },
        'request.tools',
        /^Tool calling is not supported/,
      ],
      [{ request: request(), idempotency_key: '' }, 'idempotency_key', /1 to 255/],
      [{ request: request(), idempotency_key: 'a'.repeat(256) }, 'idempotency_key', /1 to 255/],
      [{ request: request(), idempotency_key: 7 }, 'idempotency_key', /1 to 255/],
    ];
    for (const [body, param, message] of cases) {
      const { error } = await refused(await send('POST', canonical, body), 400);
      assert.deepEqual([error.type, error.param], ['invalid_request', param]);
      assert.match(error.message, message);
    }
    await create({ request: request('fine'), idempotency_key: null, frobnicate: 1 });
  });

  test('trap 60: one key is one job; another body is a conflict; the order of names means nothing', async () => {
    const body = { request: request('Same'), idempotency_key: 'k1' };
    const job = await create(body);
    const reordered = {
      idempotency_key: 'k1',
      request: { messages: [{ content: 'Same', role: 'user' }], model: 'sonar-deep-research' },
    };
    assert.equal((await create(reordered)).id, job.id);
    assert.notEqual((await create(body, 'other')).id, job.id, 'another account has its own keys');
    const response = await send('POST', canonical, { ...body, request: request('Other') });
    assert.equal(response.headers.get('x-should-retry'), 'false');
    const { error } = await refused(response, 409);
    assert.deepEqual([error.type, error.param], ['conflict', 'idempotency_key']);
    const ended = await waitForJob(server, job.id);
    assert.deepEqual(await create(body), ended, 'in its present state');
  });

  test('two that create with one key at once get one job', async () => {
    const body = { request: request('Race'), idempotency_key: 'k2' };
    const jobs = await Promise.all(Array.from({ length: 10 }, () => create(body)));
    assert.equal(new Set(jobs.map(({ id }) => id)).size, 1);
  });
});

suite('a request that is refused', () => {
  test('an image for a model that sees none makes no job', async (t) => {
    const blind = chatModels({ capabilities: { images: false }, answer });
    const folder = await temporaryFolder(t);
    const other = await openJobsServer({ url: 'sqlite', dataFolder: folder, models: blind });
    t.after(() => other.close());
    const content = [{ type: 'image_url', image_url: 'data:image/png;base64,AAAA' }];
    const asked = { request: { model: 'svc', messages: [{ role: 'user', content }] } };
    const { error } = await refused(await other.send('POST', canonical, asked), 400);
    assert.deepEqual(
      [error.message, error.param],
      ['This model does not accept images', 'request.messages.0.content.0'],
    );
  });
});

suite('looking', () => {
  test('trap 61: the list goes by pages to an empty token, newest first, unmoved by new jobs', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 7; at++) ids.unshift((await create({ request: request(`n${at}`) }, 'other')).id);
    const all = (await list('?limit=100', 'other')).requests.map(({ id }) => id);
    const first = await list('?limit=3', 'other');
    await create({ request: request('meanwhile') }, 'other');
    const seen = first.requests.map(({ id }) => id);
    let { next_token: token } = first;
    while (token !== '') {
      const page = await list(`?limit=3&next_token=${encodeURIComponent(token)}`, 'other');
      for (const { id, status } of page.requests) {
        assert.match(status, /^(CREATED|IN_PROGRESS|COMPLETED|FAILED)$/);
        seen.push(id);
      }
      token = page.next_token;
    }
    assert.deepEqual(seen, all);
    assert.deepEqual(seen.slice(0, 7), ids);
    const acme = await list('?limit=1');
    const foreign = `?next_token=${encodeURIComponent(acme.next_token)}`;
    await refused(await send('GET', canonical + foreign, undefined, 'other'), 422);
  });

  test('limits and tokens that are none are 422 with both bodies; other parameters are passed over', async () => {
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?next_token=', '?next_token=abc']) {
      const { error, detail } = await refused(await send('GET', canonical + query), 422);
      assert.equal(error.type, 'validation_error');
      assert.deepEqual(detail?.[0]?.loc.slice(0, 1), ['query'], query);
    }
    await list('?cursor=x&limit=5');
  });

  test('trap 62: an id that is none is 422, one that is unknown, foreign or too old is 404', async () => {
    for (const id of ['abc', 'a'.repeat(101), 'a'.repeat(10_000)]) {
      const { detail } = await refused(await send('GET', `${canonical}/${id}`), 422);
      assert.deepEqual(detail?.[0]?.loc, ['path', 'api_request']);
      assert.equal(detail[0]?.type, 'uuid_parsing');
    }
    await refused(await send('GET', `${canonical}/00000000-0000-4000-8000-000000000000`), 404);
    const job = await create({ request: request('old'), idempotency_key: 'old' });
    await refused(await send('GET', `${canonical}/${job.id}`, undefined, 'other'), 404);
    await waitForJob(server, job.id);
    clock.advance(7 * 86_400_000 + 1);
    await refused(await send('GET', `${canonical}/${job.id}`), 404);
    assert.deepEqual((await list('')).requests, []);
    const again = await create({ request: request('anything else'), idempotency_key: 'old' });
    assert.notEqual(again.id, job.id, 'the key is free again');
  });

  test('a job that runs says so, and its start never changes', async () => {
    const job = await create({ request: request('wait') });
    let running = job;
    while (running.status === 'CREATED')
      running = (await (await send('GET', `${canonical}/${job.id}`)).json()) as ReadJob;
    assertMatches(Job, running, 'a running job');
    assert.deepEqual([running.status, running.response], ['IN_PROGRESS', null]);
    gate.resolve();
    const ended = await waitForJob(server, job.id);
    assert.equal(ended.started_at, running.started_at);
    assert.ok((ended.completed_at ?? 0) >= (ended.started_at ?? Infinity));
  });
});
