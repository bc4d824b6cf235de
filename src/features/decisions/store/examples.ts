import { sql, type Kysely, type Selection } from 'kysely';

import { changedRows, changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { withDecider, type OfDecider } from './learning.ts';

const columns = ['ordinal', 'id', 'example', 'created_at_ms as createdAtMs'] as const;
/** `example` is JSON. */
export type ExampleRow = Readonly<Selection<Schema, 'decider_examples', (typeof columns)[number]>>;

interface PageBounds {
  /** Null begins with the oldest. */
  readonly afterOrdinal: number | null;
  readonly limit: number;
}

export interface NewExample {
  readonly id: string;
  /** JSON. */
  readonly example: string;
}

/** What a decider may have at most. */
export interface ExampleBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

export type ExampleStore = ReturnType<typeof createExampleStore>;

/** `reader` is for everything that only reads; see `Database`. */
export function createExampleStore(db: Kysely<Schema>, reader = db) {
  const totals = (connection: Kysely<Schema>, accountId: string, decider: string) =>
    connection
      .selectFrom('decider_examples')
      .select((eb) => [
        eb.fn.countAll<number>().as('rows'),
        sql<number>`coalesce(sum(octet_length(example)), 0)`.as('bytes'),
      ])
      .where('account_id', '=', accountId)
      .where('decider', '=', decider)
      .executeTakeFirstOrThrow();
  const own = (accountId: string, decider: string) =>
    db.deleteFrom('decider_examples').where('account_id', '=', accountId).where('decider', '=', decider);
  return {
    /** All or none, in order. How many there are then; null without a decider, `full` where they would be too many. */
    add: (
      { accountId, decider }: OfDecider,
      examples: readonly NewExample[],
      createdAtMs: number,
      { rowsMax, bytesMax }: ExampleBounds,
    ): Promise<number | 'full' | null> =>
      withDecider(db, { accountId, decider }, async (transaction) => {
        const known = await totals(transaction, accountId, decider);
        const total = known.rows + examples.length;
        const added = examples.reduce((sum, { example }) => sum + Buffer.byteLength(example), 0);
        if (total > rowsMax || known.bytes + added > bytesMax) return 'full';
        const common = { account_id: accountId, decider, created_at_ms: createdAtMs };
        const rows = examples.map((one) => ({ ...common, ...one }));
        await transaction.insertInto('decider_examples').values(rows).execute();
        return total;
      }),

    /** Oldest first. */
    list(accountId: string, decider: string, { afterOrdinal, limit }: PageBounds): Promise<ExampleRow[]> {
      let query = reader
        .selectFrom('decider_examples')
        .select(columns)
        .where('account_id', '=', accountId)
        .where('decider', '=', decider);
      if (afterOrdinal !== null) query = query.where('ordinal', '>', afterOrdinal);
      return query.orderBy('ordinal').limit(limit).execute();
    },

    count: async (accountId: string, decider: string): Promise<number> =>
      (await totals(reader, accountId, decider)).rows,

    remove: (accountId: string, decider: string, id: string): Promise<boolean> =>
      changesOne(own(accountId, decider).where('id', '=', id)),

    /** Resolves to how many there were. */
    removeAll: (accountId: string, decider: string): Promise<number> => changedRows(own(accountId, decider)),
  };
}
