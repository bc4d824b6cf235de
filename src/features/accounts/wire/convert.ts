import type { AccountRecord } from '../administration.ts';
import type { KeyRecord } from '../key-records.ts';
import type { ServerProcess as LiveProcess } from '../../../kernel/store/processes.ts';
import type { Purchase as StoredPurchase } from '../store/purchases.ts';
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
  const { id, name, createdAtMs, creditsPurchasedUsd, tier } = account;
  return {
    object: 'account',
    id,
    name,
    created_at: toSeconds(createdAtMs),
    credits_purchased_usd: creditsPurchasedUsd,
    tier,
    stored_bytes: account.storedBytes,
    storage_quota_bytes: account.storageQuotaBytes,
  };
}

export function toKey(key: KeyRecord): Key {
  return {
    object: 'key',
    id: key.id,
    account_id: key.accountId,
    kind: key.kind,
    name: key.name,
    last4: key.last4,
    created_at: toSeconds(key.createdAtMs),
    last_used_at: toSecondsOrNull(key.lastUsedAtMs),
    revoked_at: toSecondsOrNull(key.revokedAtMs),
  };
}

export function toPurchase({ id, accountId, amountUsd, note, createdAtMs }: StoredPurchase): Purchase {
  return {
    object: 'purchase',
    id,
    account_id: accountId,
    amount_usd: amountUsd,
    note,
    created_at: toSeconds(createdAtMs),
  };
}

export function toServerProcess({ id, startedAtMs, seenAtMs }: LiveProcess): ServerProcess {
  return { object: 'process', id, started_at: toSeconds(startedAtMs), seen_at: toSeconds(seenAtMs) };
}

export function toUsageTotal(total: LedgerTotal): UsageTotal {
  const { account, key, model, operation, day, requests, inputTokens, outputTokens, costUsd } = total;
  return {
    object: 'usage_total',
    ...(account !== undefined && { account_id: account }),
    ...(key !== undefined && { key_id: key }),
    ...(model !== undefined && { model }),
    ...(operation !== undefined && { operation }),
    ...(day !== undefined && { day }),
    requests,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costUsd,
  };
}

export function toUsageRow(row: LedgerRow): UsageRow {
  return {
    object: 'usage',
    id: row.id,
    request_id: row.requestId,
    account_id: row.accountId,
    key_id: row.keyId,
    operation: row.operation,
    model: row.model,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    other_units: row.otherUnits,
    cost_usd: row.costUsd,
    cost_parts: row.costParts,
    status: row.status,
    duration_ms: row.durationMs,
    created_at: toSeconds(row.createdAtMs),
  };
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

export function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

export function toSecondsOrNull(ms: number | null): number | null {
  return ms === null ? null : toSeconds(ms);
}
