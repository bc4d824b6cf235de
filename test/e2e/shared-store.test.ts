import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
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
