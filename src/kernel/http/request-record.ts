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
  /** Returns undefined, or resolves, when the row is safe. Throws or rejects with a Fault where it cannot be kept. */
  keep(record: RequestRecord): Promise<void> | undefined;
  /** May be called again. */
  release(): void;
}
