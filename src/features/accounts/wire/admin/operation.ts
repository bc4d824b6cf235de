import { created, defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { toAccount, toKey, toList, toPageRequest, toPurchase, toServerProcess } from '../convert.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import {
  Account,
  BookedPurchase,
  CreateAccountRequest,
  CreateKeyRequest,
  CreatePurchaseRequest,
  DeleteAccountQuery,
  DeletedAccount,
  InAccount,
  InKey,
  Key,
  listOf,
  NewKey,
  PageQuery,
  Purchase,
  ServerProcess,
  TotalsQuery,
  UpdateAccountRequest,
  UsageQuery,
} from '../schema.ts';
import { usageRows, usageTotals } from '../usage-operation.ts';

const common = { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] } as const;
const bytesMax = 1_048_576;
/** What takes longer to remove is removed behind the answer. */
const removedWithinMs = 5_000;
const accountsPath = '/admin/v1/accounts';
const accountPath = '/admin/v1/accounts/{account_id}';

/** What an operator, or the operator's own system of payment, does with accounts. Only where there is an admin key. */
export function adminOperations({ admin }: Settings): readonly Operation<Services>[] {
  if (!admin) return [];
  return [...accountOperations, ...purchaseOperations, ...keyOperations, ...usageOperations, listProcesses];
}

const accountOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminCreateAccount',
    summary: 'Creates an account',
    method: 'POST',
    paths: [accountsPath],
    body: { schema: CreateAccountRequest, bytesMax, emptyAllowed: true },
    responses: { 201: Account },
    async handle({ body }, { administration }: Services) {
      const { id, name } = body;
      const account = await administration.accounts.create({ id: id ?? undefined, name: name ?? undefined });
      return created(toAccount(account));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminListAccounts',
    summary: 'Lists accounts by their ids',
    method: 'GET',
    paths: [accountsPath],
    query: PageQuery,
    responses: { 200: listOf(Account) },
    async handle({ query }, { administration }: Services) {
      return ok(toList(await administration.accounts.list(toPageRequest(query)), toAccount));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminGetAccount',
    summary: 'Tells an account with its credits and its tier',
    method: 'GET',
    paths: [accountPath],
    params: InAccount,
    responses: { 200: Account },
    async handle({ params }, { administration }: Services) {
      return ok(toAccount(await administration.accounts.get(params.account_id)));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminUpdateAccount',
    summary: 'Renames an account',
    method: 'POST',
    paths: [accountPath],
    params: InAccount,
    body: { schema: UpdateAccountRequest, bytesMax },
    responses: { 200: Account },
    async handle({ params, body }, { administration }: Services) {
      return ok(toAccount(await administration.accounts.rename(params.account_id, body.name)));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminDeleteAccount',
    summary:
      'Deletes an account with everything that it stored; no server takes a key of it when this answers',
    method: 'DELETE',
    paths: [accountPath],
    params: InAccount,
    query: DeleteAccountQuery,
    responses: { 200: DeletedAccount, 202: DeletedAccount },
    async handle({ params, query, signal }, { administration }: Services) {
      const { account_id: id } = params;
      const soon = AbortSignal.any([signal, AbortSignal.timeout(removedWithinMs)]);
      const deleted = await administration.accounts.remove(id, query.ledger ?? false, soon);
      return { status: deleted ? 200 : 202, headers: {}, body: { object: 'account.deleted', id, deleted } };
    },
  }),
];

const purchaseOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminCreatePurchase',
    summary: 'Books a purchase of credits once; every server gives the account its tier when this answers',
    method: 'POST',
    paths: [`${accountPath}/purchases`],
    params: InAccount,
    body: { schema: CreatePurchaseRequest, bytesMax },
    responses: { 200: BookedPurchase, 201: BookedPurchase },
    async handle({ params, body }, { administration }: Services) {
      const { purchase, account, isNew } = await administration.purchases.add({
        id: body.purchase_id,
        accountId: params.account_id,
        amountUsd: body.amount_usd,
        note: body.note ?? undefined,
      });
      const booked = { ...toPurchase(purchase), account: toAccount(account) };
      return isNew ? created(booked) : ok(booked);
    },
  }),
  defineOperation({
    ...common,
    id: 'adminListPurchases',
    summary: 'Lists the purchases of an account, oldest first',
    method: 'GET',
    paths: [`${accountPath}/purchases`],
    params: InAccount,
    query: PageQuery,
    responses: { 200: listOf(Purchase) },
    async handle({ params, query }, { administration }: Services) {
      const page = await administration.purchases.list(params.account_id, toPageRequest(query));
      return ok(toList(page, toPurchase));
    },
  }),
];

const keyOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminCreateKey',
    summary: 'Creates a key of an account, shown in this response only',
    method: 'POST',
    paths: [`${accountPath}/keys`],
    params: InAccount,
    body: { schema: CreateKeyRequest, bytesMax, emptyAllowed: true },
    responses: { 201: NewKey },
    async handle({ params, body }, { administration }: Services) {
      const { key, secret } = await administration.keys.create(params.account_id, body.name ?? null);
      return created({ ...toKey(key), secret }, { 'cache-control': 'no-store' });
    },
  }),
  defineOperation({
    ...common,
    id: 'adminListKeys',
    summary: 'Lists the keys of an account without their secrets, revoked ones too, oldest first',
    method: 'GET',
    paths: [`${accountPath}/keys`],
    params: InAccount,
    query: PageQuery,
    responses: { 200: listOf(Key) },
    async handle({ params, query }, { administration }: Services) {
      const page = await administration.keys.list(params.account_id, toPageRequest(query));
      return ok(toList(page, toKey));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminRevokeKey',
    summary: 'Revokes a key; no server takes it any more when this answers',
    method: 'DELETE',
    paths: [`${accountPath}/keys/{key_id}`],
    params: InKey,
    responses: { 200: Key },
    async handle({ params }, { administration }: Services) {
      return ok(toKey(await administration.keys.revoke(params.account_id, params.key_id)));
    },
  }),
];

const usageOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminListUsageTotals',
    summary: 'Sums requests, tokens and cost by account, key, model, operation and day',
    paths: ['/admin/v1/usage/totals'],
    query: TotalsQuery,
    ...usageTotals(({ query }) => query.account_id),
  }),
  defineOperation({
    ...common,
    id: 'adminListUsage',
    summary: 'Lists billed requests, oldest first',
    paths: ['/admin/v1/usage'],
    query: UsageQuery,
    ...usageRows(({ query }) => query.account_id),
  }),
];

const listProcesses = defineOperation({
  ...common,
  id: 'adminListProcesses',
  summary: 'Lists the server processes on this store that were heard of within a minute',
  method: 'GET',
  paths: ['/admin/v1/processes'],
  responses: { 200: listOf(ServerProcess) },
  async handle(_call, { administration }: Services) {
    return ok(toList({ items: await administration.processes(), next: null }, toServerProcess));
  },
});
