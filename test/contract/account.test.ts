import assert from 'node:assert/strict';
import { after, before, suite, test, type TestContext } from 'node:test';
import { accountOperations } from '../../src/features/accounts/wire/account/operation.ts';
import { exampleBodies } from '../support/examples.ts';
import { createClient, errorOf, jsonOf, type Received } from '../support/http.ts';
import { postgresSkipReason, sharePostgres, type SharedPostgres } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { assertError, assertSuccess } from '../support/strict.ts';
import { pollEnd } from '../support/until.ts';

const ownKey = 'configured-key-of-acme-0123456789';
const otherKey = 'configured-key-of-other-0123456789';
const config = JSON.stringify({
  keys: [
    { key: ownKey, account: 'acme', credits_purchased_usd: 250 },
    { key: otherKey, account: 'other' },
    { key: 'no-tokens-0123456789', account: 'acme', credits_purchased_usd: 0, deny: ['tokens'] },
    { key: 'no-account-0123456789', account: 'acme', credits_purchased_usd: 0, deny: ['account'] },
  ],
});

interface Key {
  readonly id: string;
  readonly account_id: string;
  readonly name: string | null;
  readonly last4: string;
  readonly revoked_at: number | null;
}
interface List<Item> {
  readonly data: readonly Item[];
  readonly next_page_token: string | null;
}
interface Row {
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly cost_usd: number;
}
interface Total {
  readonly key_id?: string;
  readonly account_id?: string;
  readonly requests: number;
  readonly cost_usd: number;
}

interface CallOptions {
  readonly key?: string;
  readonly id?: string;
  readonly query?: string;
  readonly status?: number;
}

interface Opened {
  readonly server: TestServer;
  /** Calls an operation by its id and checks the answer against what the operation declares. */
  readonly call: (operation: string, options?: CallOptions) => Promise<Received>;
  readonly decide: (key: string) => Promise<number>;
  readonly generate: (key: string, name: string) => Promise<string>;
}

async function open(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const server = await startServer(t, { config, env });
  const send = createClient(server.url);
  t.after(() => send.close());
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  return {
    server,
    async call(name, { key = ownKey, id = '', query = '', status = 200 } = {}) {
      const operation = accountOperations.find((one) => one.id === name);
      assert.ok(operation, name);
      const path = operation.paths[0].replace('{key_id}', id) + query;
      const received = await send({ method: operation.method, path, headers: bearer(key) });
      if (status >= 400) assertError(received, 'plain', status, name);
      else {
        assert.equal(received.status, status, `${name}: ${received.text}`);
        assertSuccess(received, operation, name);
      }
      return received;
    },
    async decide(key) {
      const response = await server.post('/v1/decisions', exampleBodies['createDecision'], bearer(key));
      return response.status;
    },
    async generate(key, token_name) {
      const response = await server.post('/generate_auth_token', { token_name }, bearer(key));
      assert.equal(response.status, 200);
      return ((await response.json()) as { readonly auth_token: string }).auth_token;
    },
  };
}

/** Rows reach the ledger within a second of their request. */
function untilRows({ call }: Opened, key: string, count: number): Promise<readonly Row[]> {
  const look = async () => jsonOf<List<Row>>(await call('listAccountUsage', { key })).data;
  return pollEnd(look, ({ length }) => length >= count, `fewer than ${count} rows`);
}

function storeTests(name: string, env: () => Promise<Readonly<Record<string, string>>>): void {
  test(`${name}: an account is told to each of its keys, with that key's own handle`, async (t) => {
    const opened = await open(t, await env());
    const { call, generate } = opened;
    const token = await generate(ownKey, 'laptop');
    const [byRoot, byToken] = [await call('getAccount'), await call('getAccount', { key: token })].map(
      (received) => jsonOf(received),
    );
    assert.ok(byRoot && byToken);
    const { created_at: createdAt, key_id: rootId, ...rest } = byRoot;
    assert.ok(Number.isInteger(createdAt));
    assert.deepEqual(rest, {
      object: 'account',
      id: 'acme',
      name: 'acme',
      credits_purchased_usd: 250,
      tier: 2,
      stored_bytes: 0,
      storage_quota_bytes: 2_147_483_648,
      denied: [],
    });
    const [listed] = jsonOf<List<Key>>(await call('listAccountKeys')).data;
    assert.equal(byToken['key_id'], listed?.id);
    assert.notEqual(rootId, listed?.id);
    const limited = jsonOf(await call('getAccount', { key: 'no-tokens-0123456789' }));
    assert.deepEqual(limited['denied'], ['tokens']);
  });

  test(`${name}: keys are listed in pages without secrets, and those of another account never`, async (t) => {
    const { call, generate } = await open(t, await env());
    const names = ['one', 'two', 'three'];
    const tokens: string[] = [];
    for (const one of names) tokens.push(await generate(ownKey, one));
    const foreign = await generate(otherKey, 'foreign');
    const found: Key[] = [];
    for (let more = ''; ;) {
      const received = await call('listAccountKeys', { query: `?limit=2${more}` });
      for (const secret of [...tokens, foreign, ownKey]) assert.ok(!received.text.includes(secret));
      const { data, next_page_token: next } = jsonOf<List<Key>>(received);
      found.push(...data);
      if (next === null) break;
      assert.equal(data.length, 2);
      more = `&page_token=${next}`;
    }
    assert.equal(found.length, names.length);
    assert.deepEqual(new Set(found.map((key) => key.name)), new Set(names));
    assert.deepEqual(
      found.map(({ last4 }) => last4).toSorted(),
      tokens.map((token) => token.slice(-4)).toSorted(),
    );
    assert.ok(found.every((key) => key.account_id === 'acme'));
    const page = jsonOf<List<Key>>(await call('listAccountKeys', { key: foreign }));
    assert.deepEqual(
      page.data.map((key) => key.name),
      ['foreign'],
    );
  });

  test(`${name}: a token revoked by its id is refused at once, and only its own account can do it`, async (t) => {
    const { call, decide, generate } = await open(t, await env());
    const token = await generate(ownKey, 'to revoke');
    const [key] = jsonOf<List<Key>>(await call('listAccountKeys')).data;
    assert.ok(key);
    assert.equal(await decide(token), 200);
    const foreign = await call('revokeAccountKey', { key: otherKey, id: key.id, status: 404 });
    assert.equal(errorOf(foreign).message, 'key not found');
    for (const id of ['000000000000', key.last4, key.id.slice(0, 6), '%25', `${key.id}0`]) {
      await call('revokeAccountKey', { id, status: 404 });
    }
    assert.equal(await decide(token), 200);
    const revoked = jsonOf<Key>(await call('revokeAccountKey', { id: key.id }));
    assert.ok(Number.isInteger(revoked.revoked_at));
    assert.equal(await decide(token), 401);
    assert.deepEqual(jsonOf(await call('revokeAccountKey', { id: key.id })), revoked);
    const itself = await generate(ownKey, 'itself');
    const { key_id: id } = jsonOf<{ readonly key_id: string }>(await call('getAccount', { key: itself }));
    await call('revokeAccountKey', { key: itself, id });
    assert.equal(await decide(itself), 401);
  });

  test(`${name}: a configured key cannot be revoked here, and one of another account is unknown`, async (t) => {
    const { call, decide } = await open(t, await env());
    const idOf = async (key: string) =>
      jsonOf<{ readonly key_id: string }>(await call('getAccount', { key })).key_id;
    const refused = await call('revokeAccountKey', { id: await idOf(ownKey), status: 400 });
    assert.equal(errorOf(refused).message, 'configured keys are removed in configuration');
    assert.equal(errorOf(refused).param, 'key_id');
    await call('revokeAccountKey', { id: await idOf(otherKey), status: 404 });
    assert.deepEqual([await decide(ownKey), await decide(otherKey)], [200, 200]);
  });

  test(`${name}: usage is that of the own account, whatever account a request names`, async (t) => {
    const opened = await open(t, await env());
    const { call, decide, generate } = opened;
    const token = await generate(ownKey, 'worker');
    for (const key of [ownKey, token, token, otherKey]) assert.equal(await decide(key), 200);
    const rows = await untilRows(opened, ownKey, 3);
    await untilRows(opened, otherKey, 1);
    assert.equal(rows.length, 3);
    assert.ok(rows.every((row) => row.account_id === 'acme'));

    for (const query of ['', '?account_id=other', '?account_id=other&account_id=acme']) {
      const listed = jsonOf<List<Row>>(await call('listAccountUsage', { query })).data;
      assert.deepEqual(listed, rows);
      const [all] = jsonOf<List<Total>>(await call('listAccountUsageTotals', { query })).data;
      assert.equal(all?.requests, 3);
    }
    const byKey = await call('listAccountUsageTotals', { query: '?by=key,day' });
    const totals = jsonOf<List<Total>>(byKey).data;
    assert.deepEqual(
      totals.map(({ requests }) => requests).toSorted((a, b) => a - b),
      [1, 2],
    );
    const [worker] = jsonOf<List<Key>>(await call('listAccountKeys')).data;
    const query = `?key_id=${worker?.id}&limit=1`;
    const first = jsonOf<List<Row>>(await call('listAccountUsage', { query }));
    assert.equal(first.data.length, 1);
    const more = `${query}&page_token=${first.next_page_token}`;
    const second = jsonOf<List<Row>>(await call('listAccountUsage', { query: more }));
    assert.equal(second.next_page_token, null);
    assert.ok([...first.data, ...second.data].every((row) => row.key_id === worker?.id));

    const otherRow = jsonOf<List<Row>>(await call('listAccountUsage', { key: otherKey })).data[0];
    const foreign = await call('listAccountUsage', { query: `?key_id=${otherRow?.key_id}` });
    assert.deepEqual(jsonOf<List<Row>>(foreign).data, []);
    for (const wrong of ['?by=account', '?by=colour', '?by=', '?from=yesterday', '?limit=0']) {
      await call('listAccountUsageTotals', { query: wrong, status: 400 });
    }
  });

  test(`${name}: the groups tokens and account are denied on their own`, async (t) => {
    const { call } = await open(t, await env());
    const keys = new Set(['listAccountKeys', 'revokeAccountKey']);
    // Jobs of the account are of the group `async`, as where they are made.
    for (const { id: name } of accountOperations.filter(({ group }) => group !== 'async')) {
      const isOfKeys = keys.has(name);
      const [denied, allowed] = isOfKeys
        ? ['no-tokens-0123456789', 'no-account-0123456789']
        : ['no-account-0123456789', 'no-tokens-0123456789'];
      await call(name, { key: denied, id: 'x', status: 403 });
      await call(name, { key: allowed, id: 'x', status: name === 'revokeAccountKey' ? 404 : 200 });
    }
  });
}

test('the key of the first start is listed, and left to the administration', async (t) => {
  const server = await startServer(t, { env: { NESTOR_ROOT_KEY: '' } });
  const headers = { authorization: `Bearer ${server.firstKey}` };
  const { data } = (await (await fetch(`${server.url}/v1/account/keys`, { headers })).json()) as List<
    Key & { readonly kind: string }
  >;
  assert.deepEqual(
    data.map(({ kind, last4 }) => [kind, last4]),
    [['root', server.firstKey?.slice(-4)]],
  );
  const path = `${server.url}/v1/account/keys/${data[0]?.id}`;
  const refused = await fetch(path, { method: 'DELETE', headers });
  const { error } = (await refused.json()) as { readonly error: { readonly message: string } };
  assert.deepEqual([refused.status, error.message], [400, 'a root key is revoked by the administration']);
  assert.equal((await fetch(`${server.url}/v1/account`, { headers })).status, 200);
});

suite('the own account on SQLite', () => {
  storeTests('SQLite', () => Promise.resolve({}));
});

suite('the own account on PostgreSQL', { skip: postgresSkipReason() }, () => {
  let postgres: SharedPostgres;
  before(async () => {
    postgres = await sharePostgres();
  });
  after(() => postgres.close());
  storeTests('PostgreSQL', async () => ({ NESTOR_DATABASE_URL: await postgres.createStore() }));
});
