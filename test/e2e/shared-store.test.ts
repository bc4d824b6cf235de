import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish, says, text } from '../support/models.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer, type TestServer } from '../support/server.ts';

const questions = { q: { type: 'noul', instructions: 'Is it raining?' } };
const decision = { model: 'svc-decider-v1-27b', state: 'It pours.', questions };

const statusOf = async ({ post }: TestServer, key: string) =>
  (await post('/v1/decisions', decision, { authorization: `Bearer ${key}` })).status;

test(
  'two servers on one PostgreSQL are one server: what one generates and revokes holds for both',
  { skip: postgresSkipReason() },
  async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const env = { NESTOR_DATABASE_URL: await postgres.createDatabase() };
    const [one, two] = await Promise.all([startServer(t, { env }), startServer(t, { env })]);

    const generated = await one.post('/generate_auth_token', {});
    const { auth_token: token } = (await generated.json()) as { auth_token: string };
    assert.deepEqual([await statusOf(one, token), await statusOf(two, token)], [200, 200]);

    // The other one has the token in memory now, and keeps being asked while it is revoked.
    const enough = new AbortController();
    let refusedLate = 0;
    const asking = (async () => {
      while (!enough.signal.aborted) await statusOf(two, token);
    })();
    const answer = await one.post('/revoke_auth_token', { auth_token: token });
    assert.equal(answer.status, 200);
    for (let i = 0; i < 5; i++) if ((await statusOf(two, token)) !== 401) refusedLate++;
    enough.abort();
    await asking;
    assert.equal(refusedLate, 0);
    assert.equal(await statusOf(one, token), 401);

    const ready = await fetch(`${two.url}/readyz`);
    assert.equal(ready.status, 200);
  },
);

test(
  'a response that one server makes is followed on another while it is made',
  { skip: postgresSkipReason() },
  async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const env = { NESTOR_DATABASE_URL: await postgres.createDatabase() };
    const seen = Promise.withResolvers<void>();
    const answer: Answer = async function* (request, signal) {
      yield [text('First. ')];
      await seen.promise;
      yield* says([text('Then the rest.')], finish())(request, signal);
    };
    const providers = [scriptedProvider('lab', { slow: { answer } })];
    const [one, two] = await Promise.all([startServer(t, { env, providers }), startServer(t, { env })]);
    const authorization = { authorization: `Bearer ${one.key}` };
    const body = { model: 'lab/slow', input: 'Hi', background: true };
    const { id } = (await (await one.post('/v1/responses', body, authorization)).json()) as { id: string };

    const followed = await fetch(`${two.url}/v1/responses/${id}?stream=true`, { headers: authorization });
    let told = '';
    for await (const piece of (followed.body ?? assert.fail('no body')).pipeThrough(
      new TextDecoderStream(),
    )) {
      told += piece;
      // Only what was said so far can have let it go on.
      if (told.includes('First. ')) seen.resolve();
    }
    assert.match(told, /"delta":"Then the rest\."[^]+event: response\.completed/);
  },
);
