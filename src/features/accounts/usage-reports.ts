import type { Usage } from './store/usage.ts';
import type { UsageRow } from './store/usage-row.ts';
import type { UsageFilter, UsageGroup, UsageTotal } from './store/usage-totals.ts';
import { readPage, type Page, type PageRequest } from './page.ts';

export const usageGroups = [
  'account',
  'key',
  'model',
  'operation',
  'day',
] as const satisfies readonly UsageGroup[];
export type { UsageFilter, UsageGroup, UsageRow, UsageTotal };

interface TotalsRequest extends UsageFilter, PageRequest {
  /** None: one total of everything. */
  readonly by: readonly UsageGroup[];
}

/** Reports of the ledger. Rows reach it within a second of their request. */
export interface UsageReports {
  totals(request: TotalsRequest): Promise<Page<UsageTotal>>;
  /** One row per billed request, oldest first. */
  rows(request: UsageFilter & PageRequest): Promise<Page<UsageRow>>;
}

export function createUsageReports(usage: Pick<Usage, 'totals' | 'page'>): UsageReports {
  return {
    totals({ by, limit, pageToken, ...filter }) {
      let offset = 0;
      return readPage(
        { limit, pageToken },
        ['number'],
        (_total: UsageTotal, index) => [offset + index],
        (after, count) => {
          offset = Math.max(0, Number(after?.[0] ?? 0));
          return usage.totals({ ...filter, by, limit: count, offset });
        },
      );
    },
    rows({ limit, pageToken, ...filter }) {
      return readPage(
        { limit, pageToken },
        ['number', 'string'],
        ({ createdAtMs, id }: UsageRow) => [createdAtMs, id],
        (after, count) =>
          usage.page({
            ...filter,
            after: after && { createdAtMs: Number(after[0]), id: String(after[1]) },
            limit: count,
          }),
      );
    },
  };
}
