import type { Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { withDecider, type OfDecider } from './learning.ts';

export interface ExampleVectors {
  readonly exampleId: string;
  /** Those of its windows one after the other. */
  readonly vectors: Float32Array;
}

export type VectorStore = ReturnType<typeof createVectorStore>;

/** What was made of examples, by the version of what made it. `reader` is for everything that only reads; see `Database`. */
export function createVectorStore(db: Kysely<Schema>, reader = db) {
  return {
    /** Replaces what is known of these; examples that are gone meanwhile are passed over. */
    async put(of: OfDecider, features: string, made: readonly ExampleVectors[]): Promise<void> {
      if (made.length === 0) return;
      const ids = made.map(({ exampleId }) => exampleId);
      await withDecider(db, of, async (transaction) => {
        const own = transaction
          .selectFrom('decider_examples')
          .select('id')
          .where('account_id', '=', of.accountId)
          .where('id', 'in', ids);
        const known = new Set((await own.execute()).map(({ id }) => id));
        const rows = made
          .filter(({ exampleId }) => known.has(exampleId))
          .map(({ exampleId, vectors }) => ({ example_id: exampleId, features, vectors: toText(vectors) }));
        if (rows.length === 0) return;
        await transaction.deleteFrom('decider_example_vectors').where('example_id', 'in', ids).execute();
        await transaction.insertInto('decider_example_vectors').values(rows).execute();
      });
    },

    /** By the id of the example; those of another version are left out. */
    async find(features: string, ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
      if (ids.length === 0) return new Map();
      const rows = await reader
        .selectFrom('decider_example_vectors')
        .select(['example_id', 'vectors'])
        .where('features', '=', features)
        .where('example_id', 'in', ids)
        .execute();
      return new Map(rows.map(({ example_id: id, vectors }) => [id, fromText(vectors)]));
    },
  };
}

const toText = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

function fromText(text: string): Float32Array {
  // Aligned: what Node pools may begin at any byte.
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
