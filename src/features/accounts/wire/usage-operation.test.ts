import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Services } from '../../../kernel/feature.ts';
import type { Call } from '../../../kernel/http/operation.ts';
import { accountOperations } from './account/operation.ts';

suite('usage of an account', () => {
  const asked: unknown[] = [];
  const read = (request: object) => {
    asked.push(request);
    return Promise.resolve({ items: [], next: null });
  };
  const services = { administration: { usage: { rows: read, totals: read } } } as unknown as Services;
  const principal = { accountId: 'acme', keyId: 'k', tier: 0, denied: [] };

  for (const id of ['listAccountUsage', 'listAccountUsageTotals'])
    test(`${id} shows the account of the caller only, and nothing without a caller`, async () => {
      const operation = accountOperations.find((one) => one.id === id);
      assert.ok(operation);
      const call = { query: { account_id: 'other' }, principal } as unknown as Call;
      await operation.handle(call, services);
      assert.equal((asked.pop() as { accountId: unknown }).accountId, 'acme');
      await assert.rejects(async () => operation.handle({ ...call, principal: null }, services));
      assert.deepEqual(asked, []);
    });
});
