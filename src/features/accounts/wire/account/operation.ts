import { Fault } from '../../../../kernel/faults.ts';
import type { Operation } from '../../../../kernel/http/operation.ts';
import { accountOf, callerOf, defineOperation, ok, perMinute } from '../../../../kernel/http/operation.ts';
import { toAccount, toKey, toList, toPageRequest } from '../convert.ts';
import { Key, KeyPath, listOf, OwnAccount, OwnTotalsQuery, OwnUsageQuery, PageQuery } from '../schema.ts';
import { usageRows, usageTotals } from '../usage-operation.ts';
import type { Services } from '../../../../kernel/feature.ts';

const common = {
  group: 'account',
  method: 'GET',
  credentials: 'bearer',
  surface: 'plain',
  buckets: [perMinute('account', 120)],
} as const;

/** What any key may see of its own account, and of no other. Keys are of the group `tokens`, which makes them. */
export const accountOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'getAccount',
    summary: 'Tells the account of this key with its credits and its tier',
    paths: ['/v1/account'],
    responses: { 200: OwnAccount },
    async handle({ principal }, { administration }: Services) {
      const account = await administration.accounts.get(accountOf(principal));
      const { keyId, denied } = callerOf(principal);
      return ok({ ...toAccount(account), key_id: keyId, denied: [...denied] });
    },
  }),
  defineOperation({
    ...common,
    group: 'tokens',
    id: 'listAccountKeys',
    summary:
      'Lists the keys and tokens of this account without their secrets, revoked ones too, oldest first',
    paths: ['/v1/account/keys'],
    query: PageQuery,
    responses: { 200: listOf(Key) },
    async handle({ principal, query }, { administration }: Services) {
      const page = await administration.keys.list(accountOf(principal), toPageRequest(query));
      return ok(toList(page, toKey));
    },
  }),
  defineOperation({
    ...common,
    group: 'tokens',
    buckets: [perMinute('tokens', 60)],
    id: 'revokeAccountKey',
    summary: 'Revokes a token of this account by its id; no server takes it any more when this answers',
    method: 'DELETE',
    paths: ['/v1/account/keys/{key_id}'],
    params: KeyPath,
    responses: { 200: Key },
    async handle({ principal, params }, { tokens }: Services) {
      const outcome = await tokens.revokeById(accountOf(principal), params.key_id);
      if (typeof outcome === 'string')
        throw new Fault('invalid_value', refusals[outcome], { param: 'key_id' });
      return ok(toKey(outcome));
    },
  }),
  defineOperation({
    ...common,
    id: 'listAccountUsageTotals',
    summary: 'Sums requests, tokens and cost of this account by key, model, operation and day',
    paths: ['/v1/account/usage/totals'],
    query: OwnTotalsQuery,
    ...usageTotals(({ principal }) => accountOf(principal)),
  }),
  defineOperation({
    ...common,
    id: 'listAccountUsage',
    summary: 'Lists billed requests of this account, oldest first',
    paths: ['/v1/account/usage'],
    query: OwnUsageQuery,
    ...usageRows(({ principal }) => accountOf(principal)),
  }),
];

const refusals = {
  configured: 'configured keys are removed in configuration',
  root: 'a root key is revoked by the administration',
} as const;
