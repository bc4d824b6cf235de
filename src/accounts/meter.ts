import type { UsageRow } from '../storage/usage.ts';
import type { Journal } from './journal.ts';

export interface Meter {
  /** Returns when the row can no longer be lost by the process's death. Costs one small write. */
  add(row: UsageRow): void;
  /** Rows that could not be taken because the journal was full or the disk failed. */
  lost(): number;
  /** Hands on what there is; resolves when it is kept or the store refused it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface MeterOptions {
  readonly journal: Journal;
  /** Keeps rows, each once; rejects when the store cannot be reached. */
  readonly keep: (rows: readonly UsageRow[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly flushEveryMs?: number;
  readonly bytesMax?: number;
}

const rowsPerBatch = 500;
const gibibyte = 1_073_741_824;
const pauseMaxMs = 10_000;

/**
 * Writes the ledger off the path of requests: a row goes to the journal at once, and from there to the store in
 * batches. While the store is down the journal grows on disk, up to a bound, and memory does not; when it is back every
 * row is kept exactly once, because rows carry the id of their request.
 */
export function openMeter(options: MeterOptions): Meter {
  const { journal, keep, onError, flushEveryMs = 250, bytesMax = gibibyte } = options;
  let lost = 0;
  let pauseMs = flushEveryMs;
  let flushing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined = setTimeout(tick, flushEveryMs).unref();

  function tick(): void {
    void flush().finally(() => {
      if (timer !== undefined) timer = setTimeout(tick, pauseMs).unref();
    });
  }

  function flush(): Promise<void> {
    flushing ??= handOn().finally(() => (flushing = null));
    return flushing;
  }

  async function handOn(): Promise<void> {
    try {
      for (const segment of journal.rotate()) {
        const rows = journal.read(segment).map((line) => JSON.parse(line) as UsageRow);
        for (let from = 0; from < rows.length; from += rowsPerBatch)
          await keep(rows.slice(from, from + rowsPerBatch));
        journal.remove(segment);
      }
      pauseMs = flushEveryMs;
    } catch (error) {
      pauseMs = Math.min(pauseMs * 2, pauseMaxMs);
      onError(error);
    }
  }

  return {
    add(row) {
      try {
        if (journal.bytes() >= bytesMax)
          throw new Error(`the usage journal holds ${bytesMax} bytes and is full`);
        journal.append(JSON.stringify(row));
      } catch (error) {
        lost++;
        onError(error);
      }
    },
    lost: () => lost,
    flush,
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await flushing;
      await flush();
      journal.close();
    },
  };
}
