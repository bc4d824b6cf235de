import type { Billing } from '../../../kernel/http/operation.ts';
import type { BillingSlot } from '../../../kernel/http/request-record.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Log } from '../../../kernel/kit/log.ts';
import type { Meter } from './meter.ts';
import type { UsageRow } from '../store/usage-row.ts';

/** A run of the agent to be billed, whether or not a caller waited for it. */
export interface RunRecord extends Omit<Billed, 'status' | 'createdAtMs'> {
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
    keep({ requestId, operation, status, durationMs, account, key, billing }) {
      if (billing === null) return undefined;
      const createdAtMs = clock.now();
      const owner = { accountId: account ?? '', keyId: key ?? '' };
      const request = { requestId, operation, status, durationMs, ...owner, createdAtMs };
      return slot.keepInTurn(toUsageRow(request, billing, orderedId(createdAtMs, requestId)));
    },
    release: slot.release,
  };
}

/**
 * Rows of one moment lie together in the index of ids. Behind ids of chance each row rewrote a page of it: a row of a batch of
 * 225 took 17 us of the store's thread, and 5 with these. A request is billed once, so its id need not be foreseen.
 */
function orderedId(createdAtMs: number, requestId: string): string {
  return `${createdAtMs.toString(36)}-${requestId}`;
}

/** Room for the row of a run, which outlives the request that began it. */
export function reserveRunRow({ meter, clock }: Dependencies): RunSlot {
  const slot = meter.reserve();
  return {
    keep({ billing, ...run }) {
      try {
        // A run that failed is answered with 200 as well.
        slot.keep(toUsageRow({ ...run, status: 200, createdAtMs: clock.now() }, billing));
      } catch {
        // The run is over and its end has to be stored; the ledger counts and logs what it loses.
      }
    },
    release: slot.release,
  };
}

type Billed = Omit<UsageRow, keyof Billing | 'id' | 'costUsd' | 'otherUnits'>;

/** A row of the ledger, known by the id of what it is for. */
export function toUsageRow(request: Billed, billing: Billing, id = request.requestId): UsageRow {
  const { model, inputTokens, outputTokens, otherUnits = null, costParts } = billing;
  const { requestId, operation, accountId, keyId, status, durationMs, createdAtMs } = request;
  return {
    id,
    requestId,
    accountId,
    keyId,
    operation,
    model,
    inputTokens,
    outputTokens,
    otherUnits,
    costParts,
    costUsd: Object.values(costParts).reduce((sum, cost) => sum + cost, 0),
    status,
    durationMs,
    createdAtMs,
  };
}
