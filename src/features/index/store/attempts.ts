import type { Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { transact } from '../../../kernel/store/transact.ts';

/** A process that ended so often at one address is taken to have ended because of it. */
export const attemptsMax = 2;

/** An address whose reading was begun and not ended: the process ended first, or hung until it was ended. */
export interface Attempt {
  readonly url: string;
  readonly times: number;
  /** The source was set aside because of it; it is not read again. */
  readonly isSkipped: boolean;
}

/** Addresses that refreshes are reading, kept in the store so that they outlive the process. */
export class CorpusAttempts {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async begin(sourceId: string, urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return;
    await this.#db
      .insertInto('corpus_attempts')
      .values(urls.map((url) => ({ source_id: sourceId, url, times: 1 })))
      .onConflict((conflict) =>
        conflict
          .columns(['source_id', 'url'])
          .doUpdateSet((eb) => ({ times: eb('corpus_attempts.times', '+', 1) })),
      )
      .execute();
  }

  /** Called however it ended: read, failed, or stopped. */
  async end(sourceId: string, urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return;
    await this.#db
      .deleteFrom('corpus_attempts')
      .where('source_id', '=', sourceId)
      .where('url', 'in', [...urls])
      .execute();
  }

  /** Attempts that earlier refreshes left. Read before a refresh begins any of its own. */
  async left(sourceId: string): Promise<readonly Attempt[]> {
    const rows = await this.#db
      .selectFrom('corpus_attempts')
      .select(['url', 'times', 'is_skipped'])
      .where('source_id', '=', sourceId)
      .orderBy('url')
      .execute();
    return rows.map(({ url, times, is_skipped }) => ({ url, times, isSkipped: is_skipped === 1 }));
  }

  /** From now on only a refresh by hand reads the source, and none reads this address. */
  async setAside(sourceId: string, url: string): Promise<void> {
    await transact(this.#db, async (transaction) => {
      await transaction
        .updateTable('corpus_attempts')
        .set({ is_skipped: 1 })
        .where('source_id', '=', sourceId)
        .where('url', '=', url)
        .execute();
      await transaction
        .updateTable('corpus_sources')
        .set({ set_aside: url })
        .where('id', '=', sourceId)
        .execute();
    });
  }

  /** By hand: the source is read again, without the addresses at which the process ended too often. */
  async resume(sourceId: string): Promise<void> {
    await transact(this.#db, async (transaction) => {
      await transaction
        .updateTable('corpus_attempts')
        .set({ is_skipped: 1 })
        .where('source_id', '=', sourceId)
        .where('times', '>=', attemptsMax)
        .execute();
      await transaction
        .updateTable('corpus_sources')
        .set({ set_aside: null })
        .where('id', '=', sourceId)
        .execute();
    });
  }
}
