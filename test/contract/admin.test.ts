import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createClient, errorOf, jsonOf } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { assertError } from '../support/strict.ts';
import { poll } from '../support/until.ts';
import {
  adminKey,
  administer,
  decide,
  list,
  onBothStores,
  pages,
  untilThree,
  type Account,
  type Key,
  type List,
} from './admin.fixture.ts';

suite('the administration', () => {
  test('without an admin key it does not exist, and nobody is told that it could', async (t) => {
    const server = await startServer(t);
    const send = createClient(server.url);
    t.after(() => send.close());
    for (const { method, paths } of list) {
      const headers = { authorization: `Bearer ${server.key}` };
      assertError(await send({ method, path: paths[0], headers }), 'plain', 404, paths[0]);
    }
    const description = await send({ path: '/openapi.json' });
    assert.ok(!description.text.includes('/admin/'));
    assert.ok(!description.text.includes('administration'));
  });

  test('with one it is described, under a security scheme of its own', async (t) => {
    const { send } = await administer(t);
    const { paths, components } = jsonOf<{
      paths: Record<string, Record<string, { security: unknown; operationId: string }>>;
      components: { securitySchemes: object };
    }>(await send({ path: '/openapi.json' }));
    assert.deepEqual(Object.keys(components.securitySchemes), ['bearer', 'apiKey', 'admin']);
    for (const { id, method, paths: own } of list) {
      const described = paths[own[0]]?.[method.toLowerCase()];
      assert.equal(described?.operationId, id);
      assert.deepEqual(described.security, [{ admin: [] }]);
    }
  });

  test('it opens to the admin key alone, and that key opens nothing else', async (t) => {
    const { server, send } = await administer(t);
    const token = jsonOf<{ auth_token: string }>({
      text: await (await server.post('/generate_auth_token', {})).text(),
    }).auth_token;
    const refused: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${server.key}` },
      { authorization: `Bearer ${token}` },
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${adminKey}x` },
      { authorization: `Bearer ${adminKey.toUpperCase()}` },
      { authorization: `Basic ${adminKey}` },
      { authorization: adminKey },
      { 'x-api-key': adminKey },
    ];
    for (const { method, paths } of list) {
      for (const headers of refused) {
        const received = await send({ method, path: paths[0], headers, body: '{"no' });
        assertError(received, 'plain', 401, `${method} ${paths[0]} ${JSON.stringify(headers)}`);
      }
      assertError(await send({ method: 'PATCH', path: paths[0] }), 'plain', 405, paths[0]);
    }
    assert.deepEqual(await decide(send, adminKey), [401, undefined]);
    const headers = { authorization: `Bearer ${adminKey}` };
    for (const path of ['/generate_auth_token', '/revoke_auth_token']) {
      assert.equal((await send({ method: 'POST', path, headers, body: '{}' })).status, 401);
    }
  });
});

function storeTests(name: string, env: () => Promise<Readonly<Record<string, string>>>): void {
  test(`${name}: accounts are created, named, listed in pages and told`, async (t) => {
    const admin = await administer(t, await env());
    const { call } = admin;
    const acme = jsonOf<Account>(
      await call('adminCreateAccount', { body: { id: 'acme', name: 'Acme Ltd' }, status: 201 }),
    );
    assert.deepEqual([acme.id, acme.name, acme.credits_purchased_usd, acme.tier], ['acme', 'Acme Ltd', 0, 0]);
    const made = jsonOf<Account>(await call('adminCreateAccount', { status: 201 }));
    assert.equal(made.name, made.id);
    await call('adminCreateAccount', { body: { id: 'acme' }, status: 409 });
    for (const body of [
      { id: 'a b' },
      { id: '' },
      { name: '' },
      { id: 'x'.repeat(129) },
      { nome: 'x' },
      [],
    ]) {
      await call('adminCreateAccount', { body, status: 400 });
    }
    const renamed = await call('adminUpdateAccount', { account: 'acme', body: { name: 'Acme' } });
    assert.equal(jsonOf<Account>(renamed).name, 'Acme');
    assert.deepEqual(jsonOf(await call('adminGetAccount', { account: 'acme' })), { ...acme, name: 'Acme' });
    const unknown = await call('adminGetAccount', { account: 'nobody', status: 404 });
    assert.equal(errorOf(unknown).message, 'account not found');
    await call('adminUpdateAccount', { account: 'nobody', body: { name: 'x' }, status: 404 });
    const listed = await pages<Account>(admin, 'adminListAccounts');
    assert.deepEqual(listed.map(({ id }) => id).toSorted(), ['acme', 'default', made.id].toSorted());
  });

  test(`${name}: a limit or a page token that is none is 400 by name`, async (t) => {
    const { call } = await administer(t, await env());
    for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?limit=1.5', '?limit=']) {
      const received = await call('adminListAccounts', { query, status: 400 });
      assert.deepEqual([errorOf(received).param, errorOf(received).code], ['limit', 400]);
    }
    const wrong = ['x', 'W10', 'WzFd', Buffer.from('["a","b"]').toString('base64url'), '__proto__'];
    for (const token of wrong) {
      const received = await call('adminListAccounts', { query: `?page_token=${token}`, status: 400 });
      assert.equal(errorOf(received).param, 'page_token');
    }
  });

  test(`${name}: a purchase counts once and raises the tier for the next request`, async (t) => {
    const admin = await administer(t, await env());
    const { call, send } = admin;
    await call('adminCreateAccount', { body: { id: 'acme' }, status: 201 });
    const made = await call('adminCreateKey', { account: 'acme', status: 201 });
    const { secret = '' } = jsonOf<Key>(made);
    assert.deepEqual(await decide(send, secret), [200, '10']);
    const body = { purchase_id: 'invoice-1', amount_usd: 49.9, note: 'first' };
    await call('adminCreatePurchase', { account: 'acme', body, status: 201 });
    assert.deepEqual(await decide(send, secret), [200, '10']);
    const more = { purchase_id: 'invoice-2', amount_usd: 0.1 };
    const booked = jsonOf<{ account: Account }>(
      await call('adminCreatePurchase', { account: 'acme', body: more, status: 201 }),
    );
    assert.deepEqual([booked.account.credits_purchased_usd, booked.account.tier], [50, 1]);
    assert.deepEqual(await decide(send, secret), [200, '20']);

    const again = await call('adminCreatePurchase', { account: 'acme', body: more, status: 200 });
    assert.equal(jsonOf<{ account: Account }>(again).account.credits_purchased_usd, 50);
    await call('adminCreatePurchase', { account: 'acme', body: { ...more, amount_usd: 5 }, status: 409 });
    await call('adminCreatePurchase', { account: 'default', body: more, status: 409 });
    const other = { purchase_id: 'invoice-3', amount_usd: 1 };
    await call('adminCreatePurchase', { account: 'nobody', body: other, status: 404 });
    for (const amount_usd of [0, -5, 1e10, '5', null, 0.001]) {
      await call('adminCreatePurchase', { account: 'acme', body: { ...other, amount_usd }, status: 400 });
    }
    const listed = await pages<{ id: string }>(admin, 'adminListPurchases', { account: 'acme' });
    assert.deepEqual(
      listed.map(({ id }) => id),
      ['invoice-1', 'invoice-2'],
    );
    await call('adminListPurchases', { account: 'nobody', status: 404 });
  });

  test(`${name}: a key is shown once, works at once, is listed without its secret, and ends at once`, async (t) => {
    const admin = await administer(t, await env());
    const { call, send, server } = admin;
    for (const id of ['acme', 'other']) await call('adminCreateAccount', { body: { id }, status: 201 });
    await call('adminCreateKey', { account: 'nobody', status: 404 });
    const made = await call('adminCreateKey', { account: 'acme', body: { name: 'ci' }, status: 201 });
    assert.equal(made.headers['cache-control'], 'no-store');
    const { secret = '', ...key } = jsonOf<Key>(made);
    assert.match(secret, /^svc-[\w-]{43}$/);
    assert.equal(key.last4, secret.slice(-4));
    assert.equal((await decide(send, secret))[0], 200);

    const more = await Promise.all(
      Array.from({ length: 4 }, () => call('adminCreateKey', { account: 'acme', status: 201 })),
    );
    const listed = await pages<Key>(admin, 'adminListKeys', { account: 'acme' });
    const ids = [key.id, ...more.map((one) => jsonOf<Key>(one).id)];
    assert.deepEqual(listed.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.deepEqual(
      listed.find(({ id }) => id === key.id),
      key,
    );
    assert.ok(!JSON.stringify(listed).includes(secret));
    assert.deepEqual(await pages<Key>(admin, 'adminListKeys', { account: 'other' }), []);

    await call('adminRevokeKey', { account: 'other', key: key.id, status: 404 });
    await call('adminRevokeKey', { account: 'acme', key: '000000000000', status: 404 });
    assert.equal((await decide(send, secret))[0], 200);
    const revoked = jsonOf<Key>(await call('adminRevokeKey', { account: 'acme', key: key.id }));
    assert.ok(Number.isInteger(revoked.revoked_at));
    assert.equal((await decide(send, secret))[0], 401);
    assert.deepEqual(jsonOf(await call('adminRevokeKey', { account: 'acme', key: key.id })), revoked);
    assert.equal((await server.post('/generate_auth_token', {})).status, 200);
  });

  test(`${name}: a token that a caller generated is listed and can be revoked here`, async (t) => {
    const admin = await administer(t, await env());
    const { server, send } = admin;
    const generated = await server.post('/generate_auth_token', { token_name: 'laptop' });
    const { auth_token: token } = (await generated.json()) as { auth_token: string };
    const keys = await pages<Key & { name: string }>(admin, 'adminListKeys', { account: 'default' });
    const found = keys.find(({ name }) => name === 'laptop');
    assert.equal(found?.last4, token.slice(-4));
    assert.equal((await decide(send, token))[0], 200);
    await admin.call('adminRevokeKey', { account: 'default', key: found.id });
    assert.equal((await decide(send, token))[0], 401);
  });

  test(`${name}: usage is summed by what is asked for, and told row by row`, async (t) => {
    const admin = await administer(t, await env());
    const { call, send, server } = admin;
    await call('adminCreateAccount', { body: { id: 'acme' }, status: 201 });
    const made = await call('adminCreateKey', { account: 'acme', status: 201 });
    const { secret = '', id: keyId } = jsonOf<Key>(made);
    for (const key of [secret, secret, server.key]) assert.equal((await decide(send, key))[0], 200);
    const rows = await untilThree(admin);
    assert.equal(rows.filter(({ account_id: account }) => account === 'acme').length, 2);

    interface Total {
      readonly account_id?: string;
      readonly key_id?: string;
      readonly day?: string;
      readonly requests: number;
      readonly cost_usd: number;
    }
    const totals = await pages<Total>(admin, 'adminListUsageTotals', { query: '&by=account' });
    assert.deepEqual(
      totals.map(({ account_id: account, requests }) => [account, requests]),
      [
        ['acme', 2],
        ['default', 1],
      ],
    );
    const [all] = await pages<Total>(admin, 'adminListUsageTotals');
    assert.equal(all?.requests, 3);
    const cost = rows.reduce((sum, row) => sum + row.cost_usd, 0);
    assert.ok(Math.abs(all.cost_usd - cost) < 1e-12);
    const [byKey] = await pages<Total>(admin, 'adminListUsageTotals', {
      query: '&by=key,day,model,operation&account_id=acme',
    });
    assert.equal(byKey?.key_id, keyId);
    assert.match(String(byKey.day), /^\d{4}-\d\d-\d\d$/);
    const tomorrow = Math.floor(Date.now() / 1_000) + 86_400;
    assert.deepEqual(await pages(admin, 'adminListUsage', { query: `&from=${tomorrow}` }), []);
    assert.equal(
      (await pages(admin, 'adminListUsage', { query: `&to=${tomorrow}&key_id=${keyId}` })).length,
      2,
    );
    for (const query of ['?by=colour', '?by=', '?by=account,', '?from=yesterday', '?to=-1']) {
      await call('adminListUsageTotals', { query, status: 400 });
    }
  });

  test(`${name}: the server processes on the store are listed`, async (t) => {
    const { call } = await administer(t, await env());
    const listed = async () => jsonOf<List<{ id: string }>>(await call('adminListProcesses')).data;
    // The first heartbeat is not waited for by the start.
    const processes = await poll(listed, ({ length }) => length > 0);
    assert.equal(processes.length, 1);
  });
}

onBothStores('the administration', storeTests);
