import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, jsonOf } from '../support/http.ts';
import {
  administer,
  decide,
  onBothStores,
  pages,
  untilThree,
  type Account,
  type Key,
} from './admin.fixture.ts';

function storeTests(name: string, env: () => Promise<Readonly<Record<string, string>>>): void {
  test(`${name}: an account that is deleted has no key at once, and its id can be used again`, async (t) => {
    const admin = await administer(t, await env());
    const { call, send } = admin;
    const create = () => call('adminCreateAccount', { body: { id: 'acme' }, status: 201 });
    await create();
    await call('adminCreatePurchase', {
      account: 'acme',
      body: { purchase_id: 'p', amount_usd: 50 },
      status: 201,
    });
    const made = await call('adminCreateKey', { account: 'acme', status: 201 });
    const { secret = '' } = jsonOf<Key>(made);
    const headers = { authorization: `Bearer ${secret}` };
    const generated = await send({ method: 'POST', path: '/generate_auth_token', headers, body: '{}' });
    const { auth_token: token } = jsonOf<{ auth_token: string }>(generated);
    const path = '/v1/deciders/quick';
    const put = await send({ method: 'PUT', path, headers, body: '{"engine":"words"}' });
    assert.equal(put.status, 200, put.text);
    for (const key of [secret, token]) assert.equal((await decide(send, key))[0], 200);

    await call('adminDeleteAccount', { account: 'nobody', status: 404 });
    await call('adminDeleteAccount', { account: 'acme', query: '?ledger=perhaps', status: 400 });
    const deleted = jsonOf(await call('adminDeleteAccount', { account: 'acme' }));
    assert.deepEqual(deleted, { object: 'account.deleted', id: 'acme', deleted: true });
    for (const key of [secret, token]) assert.equal((await decide(send, key))[0], 401);
    assert.deepEqual(jsonOf(await call('adminDeleteAccount', { account: 'acme' })), deleted, 'once more');
    await call('adminGetAccount', { account: 'acme', status: 404 });
    await call('adminUpdateAccount', { account: 'acme', body: { name: 'x' }, status: 404 });
    await call('adminListKeys', { account: 'acme', status: 404 });
    await call('adminCreateKey', { account: 'acme', status: 404 });
    const again = { purchase_id: 'q', amount_usd: 5 };
    await call('adminCreatePurchase', { account: 'acme', body: again, status: 404 });
    const listed = await pages<Account>(admin, 'adminListAccounts');
    assert.deepEqual(
      listed.map(({ id }) => id),
      ['default'],
    );

    const account = jsonOf<Account>(await create());
    assert.deepEqual([account.credits_purchased_usd, account.tier], [0, 0]);
    assert.deepEqual(await pages(admin, 'adminListKeys', { account: 'acme' }), []);
    assert.equal((await decide(send, secret))[0], 401);
    const other = jsonOf<Key>(await call('adminCreateKey', { account: 'acme', status: 201 })).secret ?? '';
    const gone = await send({ path, headers: { authorization: `Bearer ${other}` } });
    assert.equal(gone.status, 404);
  });

  test(`${name}: what was used stays in the ledger of a deleted account, unless that is to go too`, async (t) => {
    const admin = await administer(t, await env());
    const { call, send, server } = admin;
    await call('adminCreateAccount', { body: { id: 'acme' }, status: 201 });
    const { secret = '' } = jsonOf<Key>(await call('adminCreateKey', { account: 'acme', status: 201 }));
    for (const key of [secret, secret, server.key]) assert.equal((await decide(send, key))[0], 200);
    await untilThree(admin);
    const count = async () => {
      const rows = await pages<{ account_id: string }>(admin, 'adminListUsage');
      const totals = await pages<{ requests: number }>(admin, 'adminListUsageTotals');
      return [rows.filter(({ account_id: id }) => id === 'acme').length, totals[0]?.requests];
    };
    await call('adminDeleteAccount', { account: 'acme' });
    assert.deepEqual(await count(), [2, 3]);
    await call('adminDeleteAccount', { account: 'acme', query: '?ledger=true' });
    assert.deepEqual(await count(), [0, 1]);
  });

  test(`${name}: an account whose keys are configured ends in the configuration`, async (t) => {
    const { call, server } = await administer(t, await env());
    const refused = await call('adminDeleteAccount', { account: 'default', status: 409 });
    assert.match(errorOf(refused).message, /configuration has a key of this account/);
    assert.equal((await server.post('/generate_auth_token', {})).status, 200);
  });
}

onBothStores('the deletion of accounts', storeTests);
