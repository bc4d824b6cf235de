import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { toGroups, toList, toPageRequest, toUsageRow, toUsageTotal } from '../account-convert.ts';
import { listOf, UsageRow, UsageTotal } from '../account-schema.ts';
import type { Services } from '../../../../kernel/feature.ts';
import { toFilter } from './convert.ts';
import { TotalsQuery, UsageQuery } from './schema.ts';

const common = {
  group: 'admin',
  method: 'GET',
  credentials: 'admin',
  surface: 'plain',
  buckets: [],
} as const;

/** What the ledger says: sums, and the rows that they are sums of. */
export const usageOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminListUsageTotals',
    summary: 'Sums requests, tokens and cost by account, key, model, operation and day',
    paths: ['/admin/v1/usage/totals'],
    query: TotalsQuery,
    responses: { 200: listOf(UsageTotal) },
    async handle({ query }, { administration }: Services) {
      const request = { ...toFilter(query), ...toPageRequest(query), by: toGroups(query.by) };
      return ok(toList(await administration.usage.totals(request), toUsageTotal));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminListUsage',
    summary: 'Lists billed requests, oldest first',
    paths: ['/admin/v1/usage'],
    query: UsageQuery,
    responses: { 200: listOf(UsageRow) },
    async handle({ query }, { administration }: Services) {
      const page = await administration.usage.rows({ ...toFilter(query), ...toPageRequest(query) });
      return ok(toList(page, toUsageRow));
    },
  }),
];
