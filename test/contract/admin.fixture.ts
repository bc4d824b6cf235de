import assert from 'node:assert/strict';
import { after, before, suite, type TestContext } from 'node:test';
import { operations } from '../support/operations.ts';
import { exampleBodies } from '../support/examples.ts';
import { createClient, jsonOf, type Received, type Send } from '../support/http.ts';
import { postgresSkipReason, sharePostgres, type SharedPostgres } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { settings } from '../support/settings.ts';
import { assertError, assertSuccess } from '../support/strict.ts';
import { poll } from '../support/until.ts';

export const adminKey = 'admin-key-of-a-test-0123456789';
export const list = operations({ ...settings, admin: true }).filter(
  ({ credentials }) => credentials === 'admin',
);

export interface Administered {
  readonly server: TestServer;
  readonly send: Send;
  /** Calls an operation by its id and checks the answer against what the operation declares. */
  readonly call: (id: string, options?: CallOptions) => Promise<Received>;
}

export interface CallOptions {
  readonly account?: string;
  readonly key?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly status?: number;
}

export async function administer(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<Administered> {
  const server = await startServer(t, { env: { NESTOR_ADMIN_KEY: adminKey, ...env } });
  const send = createClient(server.url);
  t.after(() => send.close());
  return {
    server,
    send,
    async call(id, { account = '', key = '', query = '', body, status = 200 } = {}) {
      const operation = list.find((one) => one.id === id);
      assert.ok(operation, id);
      const path = operation.paths[0].replace('{account_id}', account).replace('{key_id}', key);
      const received = await send({
        method: operation.method,
        path: path + query,
        headers: { authorization: `Bearer ${adminKey}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (status >= 400) assertError(received, 'plain', status, id);
      else {
        assert.equal(received.status, status, `${id}: ${received.text}`);
        assertSuccess(received, operation, id);
      }
      return received;
    },
  };
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly credits_purchased_usd: number;
  readonly tier: number;
}
export interface Key {
  readonly id: string;
  readonly last4: string;
  readonly secret?: string;
  readonly revoked_at: number | null;
}
export interface List<Item> {
  readonly data: readonly Item[];
  readonly next_page_token: string | null;
}

/** One decision with a key: its status, and the requests per second that the key's tier allows. */
export async function decide(
  send: Send,
  key: string,
): Promise<readonly [status: number, limit: string | undefined]> {
  const body = JSON.stringify(exampleBodies['createDecision']);
  const headers = { authorization: `Bearer ${key}` };
  const received = await send({ method: 'POST', path: '/v1/decisions', headers, body });
  return [received.status, received.headers['x-ratelimit-limit'] as string | undefined];
}

/** Every item of a list, two at a time. */
export async function pages<Item>(
  { call }: Administered,
  id: string,
  options: CallOptions = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let more = '';
  for (let turns = 0; turns < 50; turns++) {
    const query = `?limit=2${more}${options.query ?? ''}`;
    const page = jsonOf<List<Item>>(await call(id, { ...options, query }));
    assert.ok(page.data.length <= 2);
    items.push(...page.data);
    if (page.next_page_token === null) return items;
    assert.equal(page.data.length, 2, 'only the last page is short');
    more = `&page_token=${page.next_page_token}`;
  }
  return assert.fail(`${id} does not end`);
}

export interface Row {
  readonly account_id: string;
  readonly cost_usd: number;
}

/** Rows reach the ledger within a second of their request. */
export function untilThree(admin: Administered): Promise<readonly Row[]> {
  return poll(
    () => pages<Row>(admin, 'adminListUsage'),
    ({ length }) => length >= 3,
  );
}

/** The tests of a part of the administration, on each store. */
export function onBothStores(
  title: string,
  storeTests: (name: string, env: () => Promise<Readonly<Record<string, string>>>) => void,
): void {
  suite(`${title} on SQLite`, () => {
    storeTests('SQLite', () => Promise.resolve({}));
  });

  suite(`${title} on PostgreSQL`, { skip: postgresSkipReason() }, () => {
    let postgres: SharedPostgres;
    before(async () => {
      postgres = await sharePostgres();
    });
    after(() => postgres.close());
    storeTests('PostgreSQL', async () => ({ NESTOR_DATABASE_URL: await postgres.createStore() }));
  });
}
