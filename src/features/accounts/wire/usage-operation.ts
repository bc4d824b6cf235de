import { ok, type Call } from '../../../kernel/http/operation.ts';
import type { Services } from '../../../kernel/feature.ts';
import { toFilter, toGroups, toList, toPageRequest, toUsageRow, toUsageTotal } from './convert.ts';
import { listOf, UsageRow, UsageTotal, type TotalsQuery, type UsageQuery } from './schema.ts';

/** Sums of the ledger: of the account of a key, or for the administration of the one that a request names. */
export const usageTotals = {
  method: 'GET',
  responses: { 200: listOf(UsageTotal) },
  async handle({ principal, query }: Call<unknown, TotalsQuery>, { administration }: Services) {
    const request = { ...toFilter(query, principal), ...toPageRequest(query), by: toGroups(query.by) };
    return ok(toList(await administration.usage.totals(request), toUsageTotal));
  },
} as const;

/** The rows that they are sums of. */
export const usageRows = {
  method: 'GET',
  responses: { 200: listOf(UsageRow) },
  async handle({ principal, query }: Call<unknown, UsageQuery>, { administration }: Services) {
    const request = { ...toFilter(query, principal), ...toPageRequest(query) };
    return ok(toList(await administration.usage.rows(request), toUsageRow));
  },
} as const;
