import type { Billing } from '../../../kernel/http/operation.ts';
import type { BillingSlot, RequestRecord } from '../../../kernel/http/pipeline.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Log } from '../../../kernel/kit/log.ts';
import type { Meter } from './meter.ts';
import type { UsageRow } from '../store/usage-row.ts';

/** Bills a run of the agent, whether or not a caller waited for it. */
export interface RunRecord {
  readonly requestId: string;
  readonly operation: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly durationMs: number;
  readonly billing: Billing;
}

/** Room in the ledger for one run. */
export interface RunSlot {
  /** Notes what the run cost, when it ends. Never throws. */
  keep(record: RunRecord): void;
  /** May be called again. */
  release(): void;
}

/** What the log says of the ledger. */
export function reportLedger(log: Pick<Log, 'info' | 'warn' | 'error'>) {
  return {
    onError: (error: unknown) => log.error({ err: error }, 'the ledger cannot be written'),
    onAccepting(accepts: boolean) {
      if (accepts) log.info('the ledger has room again, billed requests are taken');
      else
        log.error(
          'the ledger has no room left, billed requests answer 503: make room on the disk of the data folder',
        );
    },
    onSetAside: (what: string) => log.error(`the ledger set aside ${what}; see: nestor ledger status`),
    onStray: (name: string) => log.warn(`usage-journal/${name} is not of the ledger: move it elsewhere`),
  };
}

type Dependencies = { readonly meter: Pick<Meter, 'reserve'>; readonly clock: Clock };

/** Room for the row of a request. */
export function reserveRequestRow({ meter, clock }: Dependencies): BillingSlot {
  const slot = meter.reserve();
  return {
    keep(record) {
      if (record.billing !== null) slot.keep(toUsageRow(record, record.billing, clock.now()));
    },
    release: slot.release,
  };
}

/** Room for the row of a run, which outlives the request that began it. */
export function reserveRunRow({ meter, clock }: Dependencies): RunSlot {
  const slot = meter.reserve();
  return {
    keep(record) {
      const { billing, accountId: account, keyId: key } = record;
      // A run that failed is answered with 200 as well.
      const request = { ...record, account, key, status: 200, fault: null, billing };
      try {
        slot.keep(toUsageRow(request, billing, clock.now()));
      } catch {
        // The run is over and its end has to be stored; the ledger counts and logs what it loses.
      }
    },
    release: slot.release,
  };
}

/** A row of the ledger. */
function toUsageRow(record: RequestRecord, billing: Billing, createdAtMs: number): UsageRow {
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
