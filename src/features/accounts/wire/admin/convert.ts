import type { Administration } from '../../administration.ts';
import type { UsageFilter } from '../../store/usage-totals.ts';
import { toFilter as toSharedFilter, toSeconds } from '../account-convert.ts';
import type { Purchase, ServerProcess, UsageQuery } from './schema.ts';

type BookedPurchase = Awaited<ReturnType<Administration['purchases']['add']>>['purchase'];
type LiveProcess = Awaited<ReturnType<Administration['processes']>>[number];

export function toFilter(query: UsageQuery): UsageFilter {
  return { ...toSharedFilter(query), accountId: query.account_id };
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

export function toServerProcess({ id, startedAtMs, seenAtMs }: LiveProcess): ServerProcess {
  return { object: 'process', id, started_at: toSeconds(startedAtMs), seen_at: toSeconds(seenAtMs) };
}
