import type { Config } from '../../../kernel/config.ts';
import type { Services } from '../../../kernel/feature.ts';
import type { Kernel } from '../../../kernel/open-kernel.ts';
import { createBatches } from '../store/batches.ts';
import { createBatchTurns } from '../store/batch-turns.ts';
import { ResultRoom } from './result-room.ts';
import { createBatchService } from './service.ts';
import { BatchWorker, type BatchWorkerOptions } from './worker.ts';

type FromKernel = Pick<Kernel, 'database' | 'ageGuard' | 'clock' | 'ids'>;

interface BatchDependencies extends FromKernel, Pick<BatchWorkerOptions, 'open' | 'traffic' | 'onError'> {
  readonly storageQuota: Services['storageQuota'];
}

const dayMs = 86_400_000;

/** Batches of this store, and what answers them in this process once it is begun. */
export async function openBatches(
  { parallel, retentionDays }: Config['decisions']['batches'],
  { database, ageGuard, clock, ids, storageQuota, open, traffic, onError }: BatchDependencies,
) {
  const batches = createBatches(database.db, database.reader);
  const retentionMs = retentionDays * dayMs;
  const room = new ResultRoom((accountId, bytes) => storageQuota.admit(accountId, bytes), clock);
  const worker = new BatchWorker({
    turns: createBatchTurns(database.db),
    batches: {
      ...batches,
      expire: ageGuard((nowMs: number, keptMs: number) => batches.expire(nowMs, keptMs)),
    },
    open,
    admit: (accountId, bytes) => room.admit(accountId, bytes),
    traffic,
    parallel,
    owner: ids.uuid(),
    isAlone: database.store === 'sqlite',
    clock,
    retentionMs,
    onError,
  });
  const service = createBatchService({
    batches,
    admit: (accountId, bytes) => storageQuota.admit(accountId, bytes),
    retentionMs,
    clock,
    ids,
    wake: () => worker.wake(),
    onError,
  });
  return { service, begin: () => worker.begin(), close: () => worker.close() };
}
