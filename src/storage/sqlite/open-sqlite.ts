import type { Dialect } from 'kysely';

import { moduleBeside } from '../../kit/beside.ts';
import { createSqliteDialect } from './dialect.ts';
import { defaultQueueLimits, StatementQueue, type QueueLimits } from './queue.ts';
import { openThread } from './thread.ts';

export interface Sqlite {
  readonly dialect: Dialect;
  isAlive(): boolean;
  /** Write transactions committed since opening, and statements that wait or are under way. */
  stats(): { readonly commits: number; readonly waiting: number };
  /** Waits for all that was accepted, checkpoints, and ends the thread. May be called again. */
  close(): Promise<void>;
}

export interface SqliteOptions {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  readonly limits?: QueueLimits;
  /** Another thread to talk to; tests break it. */
  readonly workerUrl?: URL;
}

const ownWorkerUrl = moduleBeside('worker', import.meta.url);

/** Opens a SQLite file in a thread of its own. Rejects with an Error of one line when the file is refused. */
export async function openSqlite({ path, limits, workerUrl }: SqliteOptions): Promise<Sqlite> {
  const thread = await openThread({ path }, workerUrl ?? ownWorkerUrl);
  const queue = new StatementQueue((message) => thread.send(message), limits ?? defaultQueueLimits);
  let closing: Promise<void> | null = null;

  async function close(): Promise<void> {
    // Statements of this turn of the event loop are still on their way through Kysely.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await queue.drain();
    await thread.close();
  }

  return {
    dialect: createSqliteDialect(queue),
    isAlive: () => thread.isAlive() && !queue.isBroken,
    stats: () => ({ commits: thread.commits(), waiting: queue.waiting }),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
