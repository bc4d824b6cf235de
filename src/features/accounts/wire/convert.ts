import type { AccountRecord } from '../administration.ts';
import type { KeyRecord } from '../key-records.ts';
import type { ServerProcess as LiveProcess } from '../../../kernel/store/processes.ts';
import type { Purchase as StoredPurchase } from '../store/purchases.ts';
import { toWire } from '../../../kernel/kit/wire-names.ts';
import type { Page, PageRequest } from '../page.ts';
import {
  usageGroups,
  type UsageFilter,
  type UsageGroup,
  type UsageTotal as LedgerTotal,
} from '../store/usage-totals.ts';
import type { UsageRow as LedgerRow } from '../store/usage-row.ts';
import type {
  Account,
  Key,
  PageQuery,
  Purchase,
  ServerProcess,
  UsageQuery,
  UsageRow,
  UsageTotal,
} from './schema.ts';

export function toPageRequest({ limit, page_token }: PageQuery): PageRequest {
  return { limit, pageToken: page_token };
}

/** Of one account, or of all without one, whatever account the request names. */
export function toFilter(
  { from, to, key_id, model }: UsageQuery,
  accountId: string | undefined,
): UsageFilter {
  return { accountId, fromMs: toMs(from), toMs: toMs(to), keyId: key_id, model };
}

/** Parses `account,day`, each at most once. */
export function toGroups(by: string | undefined): readonly UsageGroup[] {
  const named = new Set(by?.split(','));
  return usageGroups.filter((group) => named.has(group));
}

export function toList<Item, Wire>({ items, next }: Page<Item>, toWire: (item: Item) => Wire) {
  return { object: 'list', data: items.map(toWire), next_page_token: next };
}

export function toAccount(account: AccountRecord): Account {
  return { object: 'account', ...toWire(account) };
}

export function toKey(key: KeyRecord): Key {
  return { object: 'key', ...toWire(key) };
}

export function toPurchase(purchase: StoredPurchase): Purchase {
  return { object: 'purchase', ...toWire(purchase) };
}

export function toServerProcess(process: LiveProcess): ServerProcess {
  return { object: 'process', ...toWire(process) };
}

export function toUsageTotal({ account, key, ...total }: LedgerTotal): UsageTotal {
  return {
    object: 'usage_total',
    ...(account !== undefined && { account_id: account }),
    ...(key !== undefined && { key_id: key }),
    ...toWire(total),
  };
}

export function toUsageRow(row: LedgerRow): UsageRow {
  return { object: 'usage', ...toWire(row) };
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
