import type { Dialect } from 'kysely';

import { moduleBeside } from '../../kit/beside.ts';
import { createReadDialect, createSqliteDialect } from './dialect.ts';
import { defaultReopenLimits, KeptThread, type ReopenLimits, type ThreadEvents } from './kept-thread.ts';
import { defaultQueueLimits, StatementQueue, type QueueLimits } from './queue.ts';
import { defaultReaderLimits, Readers, type ReaderLimits } from './readers.ts';
import { openThread } from './thread.ts';

export interface Sqlite {
  readonly dialect: Dialect;
  /**
   * Reads that neither wait for writes nor hold them up, at most `threadsMax` of these at the same time. A file in
   * memory has one connection only, so there it is the same as `dialect`.
   */
  readDialect(threadsMax: number): Dialect;
  isAlive(): boolean;
  /** Write transactions committed since opening, and statements that wait or are under way. */
  stats(): { readonly commits: number; readonly waiting: number };
  /** Waits for all that was accepted, checkpoints, and ends the threads. May be called again. */
  close(): Promise<void>;
}

export interface SqliteOptions {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  readonly limits?: QueueLimits;
  readonly reopen?: ReopenLimits;
  readonly readers?: ReaderLimits;
  readonly events?: ThreadEvents | undefined;
  /** Another thread to talk to; tests break it. */
  readonly workerUrl?: URL;
}

const ownWorkerUrl = moduleBeside('worker', import.meta.url);

/**
 * Opens a SQLite file in a thread of its own, which is opened again when it dies, and threads that read beside it when
 * they are first needed. Rejects with an Error of one line when the file is refused.
 */
export async function openSqlite(options: SqliteOptions): Promise<Sqlite> {
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
    // Statements of this turn of the event loop are still on their way through Kysely.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    // The last connection takes the log of the file away with it, and that has to be the one that writes.
    await Promise.all([queue.drain(), readers.close()]);
    await thread.close();
  }

  return {
    dialect: createSqliteDialect(queue),
    readDialect: (threadsMax) =>
      path === ':memory:' ? createSqliteDialect(queue) : createReadDialect(readers.share(threadsMax)),
    isAlive: () => thread.isOpen && !queue.isBroken,
    stats: () => ({ commits: thread.commits, waiting: queue.waiting + readers.waiting }),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
