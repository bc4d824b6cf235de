import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, errorOf, jsonOf } from '../support/http.ts';
import { chatProvider } from '../support/chat-provider.ts';
import { isEnded, type Job } from '../support/jobs.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const adminKey = 'admin-key-of-a-test-0123456789';

test('an account and the administration cancel and retry jobs; another account does not know them', async (t) => {
  const chat = chatProvider(600_000);
  const config = `${chat.config ?? ''}keys: [{ key: root-key-of-another-0123, account: other }]\n`;
  const server = await startServer(t, { ...chat, config, env: { NESTOR_ADMIN_KEY: adminKey } });
  const send = createClient(server.url);
  t.after(() => send.close());
  const as = (key: string) => async (method: string, path: string, body?: unknown) =>
    send({
      method,
      path,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const [own, other, admin] = [as(server.key), as('root-key-of-another-0123'), as(adminKey)];
  const request = { model: 'svc', messages: [{ role: 'user', content: 'kea?' }], disable_search: true };
  const created = jsonOf<Job>(await own('POST', '/async/chat/completions', { request }));
  const path = `/async/chat/completions/${created.id}`;
  const get = async () => jsonOf<Job>(await own('GET', path));
  await until(async () => (await get()).status === 'IN_PROGRESS');

  const foreign = await other('POST', `/v1/account/jobs/${created.id}/cancel`);
  assert.equal(foreign.status, 404);
  const early = await own('POST', `/v1/account/jobs/${created.id}/retry`);
  assert.deepEqual(
    [early.status, errorOf(early).message],
    [409, 'only a job that failed can be queued once more'],
  );

  assert.equal((await own('POST', `/v1/account/jobs/${created.id}/cancel`)).status, 200);
  const cancelled = await get();
  assert.deepEqual([cancelled.status, cancelled.error_message], ['FAILED', 'The job was cancelled.']);
  assert.ok(isEnded(cancelled));

  const retried = jsonOf<Job>(await admin('POST', `/admin/v1/jobs/${created.id}/retry`));
  assert.equal(retried.status, 'CREATED');
  await until(async () => (await get()).status === 'IN_PROGRESS');
  assert.equal((await admin('POST', `/admin/v1/jobs/${created.id}/cancel`)).status, 200);
  assert.equal((await admin('POST', `/admin/v1/jobs/${created.id}/cancel`)).status, 409);
  const listed = jsonOf<{ data: readonly Job[] }>(await admin('GET', '/admin/v1/jobs?status=FAILED'));
  assert.deepEqual(
    listed.data.map(({ id }) => id),
    [created.id],
  );
  assert.equal((await admin('GET', '/admin/v1/jobs?status=LOST')).status, 400);
});
