import { ok, type Call } from '../../../kernel/http/operation.ts';
import type { Services } from '../../../kernel/feature.ts';
import { toFilter, toGroups, toList, toPageRequest, toUsageRow, toUsageTotal } from './convert.ts';
import { listOf, UsageRow, UsageTotal, type TotalsQuery, type UsageQuery } from './schema.ts';

/** The account whose usage a call may see; undefined for all accounts. */
type ToAccount = (call: Call<unknown, UsageQuery>) => string | undefined;

/** Sums of the ledger. */
export function usageTotals(toAccount: ToAccount) {
  return {
    method: 'GET',
    responses: { 200: listOf(UsageTotal) },
    async handle(call: Call<unknown, TotalsQuery>, { administration }: Services) {
      const { query } = call;
      const filter = toFilter(query, toAccount(call));
      const shape = { by: toGroups(query.by), withDurations: query.durations };
      const request = { ...filter, ...toPageRequest(query), ...shape };
      return ok(toList(await administration.usage.totals(request), toUsageTotal));
    },
  } as const;
}

/** The rows that they are sums of. */
export function usageRows(toAccount: ToAccount) {
  return {
    method: 'GET',
    responses: { 200: listOf(UsageRow) },
    async handle(call: Call<unknown, UsageQuery>, { administration }: Services) {
      const request = { ...toFilter(call.query, toAccount(call)), ...toPageRequest(call.query) };
      return ok(toList(await administration.usage.rows(request), toUsageRow));
    },
  } as const;
}
