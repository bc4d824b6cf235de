import type { Billing } from '../http/operation.ts';
import type { RequestRecord } from '../http/pipeline.ts';
import type { Log } from '../kit/log.ts';
import type { UsageRow } from '../storage/usage.ts';

/** A row of the ledger. */
export function toUsageRow(record: RequestRecord, billing: Billing, createdAtMs: number): UsageRow {
  const { requestId, operation, status, durationMs, account, key } = record;
  const { model, inputTokens, outputTokens, otherUnits, costParts } = billing;
  return {
    id: requestId,
    requestId,
    accountId: account ?? '',
    keyId: key ?? '',
    operation,
    model,
    inputTokens,
    outputTokens,
    otherUnits: otherUnits ?? null,
    costParts,
    costUsd: Object.values(costParts).reduce((sum, cost) => sum + cost, 0),
    status,
    durationMs,
    createdAtMs,
  };
}

/** Failures of ours are told with their cause; those of callers are a line like any other. */
export function logRecord(
  log: Log,
  { requestId, operation, status, durationMs, account, fault }: RequestRecord,
): void {
  const line = { id: requestId, operation, status, ms: Math.round(durationMs * 1_000) / 1_000, account };
  if (fault !== null && status >= 500)
    log.error({ ...line, fault: fault.code, err: fault.cause ?? fault }, 'request');
  else if (fault === null) log.info(line, 'request');
  else log.info({ ...line, fault: fault.code }, 'request');
}
