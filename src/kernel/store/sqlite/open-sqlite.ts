import { setImmediate } from 'node:timers/promises';
import type { Dialect } from 'kysely';

import { moduleBeside } from '../../kit/beside.ts';
import { createReadDialect, createSqliteDialect } from './dialect.ts';
import { defaultReopenLimits, KeptThread, type ReopenLimits, type ThreadEvents } from './kept-thread.ts';
import { defaultQueueLimits, StatementQueue, type QueueLimits } from './queue.ts';
import { defaultReaderLimits, Readers, type ReaderLimits } from './readers.ts';
import { openThread } from './thread.ts';

export type Sqlite = Awaited<ReturnType<typeof openSqlite>>;

export interface SqliteOptions {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  readonly limits?: QueueLimits;
  readonly reopen?: ReopenLimits;
  readonly readers?: ReaderLimits;
  readonly events?: ThreadEvents | undefined;
  /** Replaced by tests that break the thread. */
  readonly workerUrl?: URL;
}

const ownWorkerUrl = moduleBeside('worker', import.meta.url);

/**
 * Opens a SQLite file in a thread, which is reopened when it dies, with reader threads on demand. Rejects with a
 * one-line Error when the file is refused.
 */
export async function openSqlite(options: SqliteOptions) {
  const { path, workerUrl = ownWorkerUrl } = options;
  const thread: KeptThread = await KeptThread.open({
    input: { path, access: 'create' },
    workerUrl,
    limits: options.reopen ?? defaultReopenLimits,
    events: {
      ended(cause) {
        queue.break(cause);
        options.events?.ended(cause);
      },
      reopened() {
        queue.mend();
        options.events?.reopened();
      },
      lost: (reason) => options.events?.lost(reason),
    },
  });
  const queue = new StatementQueue((message) => thread.send(message), options.limits ?? defaultQueueLimits);
  const readers = new Readers(
    () => openThread({ path, access: 'read' }, workerUrl),
    options.readers ?? defaultReaderLimits,
  );
  let closing: Promise<void> | null = null;

  async function close(): Promise<void> {
    // Statements of this turn are still on their way through Kysely.
    await setImmediate();
    // The last connection deletes the log, and that must be the writing one.
    await Promise.all([queue.drain(), readers.close()]);
    await thread.close();
  }

  return {
    dialect: createSqliteDialect(queue),
    /**
     * Reads beside the writes, at most `threadsMax` at a time. In memory there is one connection only, so it equals
     * `dialect`.
     */
    readDialect: (threadsMax: number): Dialect =>
      path === ':memory:' ? createSqliteDialect(queue) : createReadDialect(readers.share(threadsMax)),
    isUp: () => thread.isOpen && !queue.isBroken,
    /** Write transactions committed since opening, and statements waiting or running. */
    stats: () => ({ commits: thread.commits, waiting: queue.waiting + readers.waiting }),
    /** Waits for accepted statements, checkpoints, and ends the threads. May be called again. */
    close: (): Promise<void> => (closing ??= close()),
  };
}
