import type { RequestRecord } from './pipeline.ts';
import type { Log } from '../kit/log.ts';

/** Logs a request; only failures of the server with their cause. */
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
