import type { Fault } from '../faults.ts';
import type { Billing } from './operation.ts';

/** One request, for the log and the metrics, without anything that the caller wrote. */
export interface RequestRecord {
  readonly requestId: string;
  /** `none` where no operation was found. */
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly account: string | null;
  readonly key: string | null;
  readonly billing: Billing | null;
  readonly fault: Fault | null;
}

/** Room for one ledger row, reserved before the work. */
export interface BillingSlot {
  /** Returns when the row is safe. Throws a Fault where it cannot be kept. */
  keep(record: RequestRecord): void;
  /** May be called again. */
  release(): void;
}
