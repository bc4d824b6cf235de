import type { AccountRecord, Administration, KeyRecord } from '../../accounts/administration.ts';
import type { Page, PageRequest } from '../../accounts/page.ts';
import {
  usageGroups,
  type UsageFilter,
  type UsageGroup,
  type UsageRow as LedgerRow,
  type UsageTotal as LedgerTotal,
} from '../../accounts/usage-reports.ts';
import type { Account, Key, Purchase, ServerProcess, UsageQuery, UsageRow, UsageTotal } from './schema.ts';

type BookedPurchase = Awaited<ReturnType<Administration['purchases']['add']>>['purchase'];
type LiveProcess = Awaited<ReturnType<Administration['processes']>>[number];

export function toPageRequest(query: { readonly limit?: number; readonly page_token?: string }): PageRequest {
  return { limit: query.limit, pageToken: query.page_token };
}

export function toFilter({ from, to, account_id, key_id, model }: UsageQuery): UsageFilter {
  return { fromMs: toMs(from), toMs: toMs(to), accountId: account_id, keyId: key_id, model };
}

/** `account,day`; each once. */
export function toGroups(by: string | undefined): readonly UsageGroup[] {
  const named = new Set(by?.split(','));
  return usageGroups.filter((group) => named.has(group));
}

export function toList<Item, Wire>({ items, next }: Page<Item>, toWire: (item: Item) => Wire) {
  return { object: 'list', data: items.map(toWire), next_page_token: next };
}

export function toAccount({ id, name, createdAtMs, creditsPurchasedUsd, tier }: AccountRecord): Account {
  return {
    object: 'account',
    id,
    name,
    created_at: toSeconds(createdAtMs),
    credits_purchased_usd: creditsPurchasedUsd,
    tier,
  };
}

export function toPurchase({ id, accountId, amountUsd, note, createdAtMs }: BookedPurchase): Purchase {
  return {
    object: 'purchase',
    id,
    account_id: accountId,
    amount_usd: amountUsd,
    note,
    created_at: toSeconds(createdAtMs),
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

export function toUsageTotal(total: LedgerTotal): UsageTotal {
  const { account, key, model, operation, day, requests, inputTokens, outputTokens, costUsd } = total;
  return {
    object: 'usage_total',
    ...(account === undefined ? {} : { account_id: account }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(model === undefined ? {} : { model }),
    ...(operation === undefined ? {} : { operation }),
    ...(day === undefined ? {} : { day }),
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

export function toServerProcess({ id, startedAtMs, seenAtMs }: LiveProcess): ServerProcess {
  return { object: 'process', id, started_at: toSeconds(startedAtMs), seen_at: toSeconds(seenAtMs) };
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

function toSecondsOrNull(ms: number | null): number | null {
  return ms === null ? null : toSeconds(ms);
}
