import { sql, type RawBuilder } from 'kysely';

/** A table that one account can make grow. */
export interface StoredTable {
  readonly table: string;
  /** The table that names the account, where the row does not. */
  readonly parent: { readonly table: string; readonly column: string } | null;
  /** Columns that change after the insert. */
  readonly changes: readonly string[];
  /** Bytes of a row; `row` is `new`, `old` or the table. */
  readonly bytesOf: (row: string) => RawBuilder<number>;
}

/** Approximate overhead: many small rows fill a disk too. */
const rowBytes = 256;

function stored(
  table: string,
  columns: readonly string[],
  more: Partial<Pick<StoredTable, 'parent' | 'changes'>> = {},
): StoredTable {
  return {
    table,
    parent: null,
    changes: [],
    bytesOf: (row) =>
      sql<number>`(${sql.lit(rowBytes)} + ${sql.join(
        columns.map((column) => sql`coalesce(octet_length(${sql.ref(`${row}.${column}`)}), 0)`),
        sql` + `,
      )})`,
    ...more,
  };
}

const ofBatch = { table: 'decision_batches', column: 'batch_id' } as const;
const ofExample = { table: 'decider_examples', column: 'example_id' } as const;
const ofResponse = { table: 'responses', column: 'response_id' } as const;

/** Tables that count against an account's quota. Parents precede their parts. */
export const storedTables: readonly StoredTable[] = [
  stored('responses', ['input', 'response'], { changes: ['response'] }),
  stored('response_events', ['lines'], { parent: ofResponse }),
  stored('response_items', ['item'], { parent: ofResponse }),
  stored('response_files', ['filename', 'content'], { parent: ofResponse }),
  stored('conversations', ['metadata'], { changes: ['metadata'] }),
  stored('conversation_items', ['item'], {
    parent: { table: 'conversations', column: 'conversation_id' },
  }),
  stored('jobs', ['request', 'response', 'error_message'], { changes: ['response', 'error_message'] }),
  stored('skill_revisions', ['description', 'extra', 'bundle'], {
    parent: { table: 'skills', column: 'skill_id' },
  }),
  stored('deciders', ['name', 'definition'], { changes: ['definition'] }),
  stored('decider_examples', ['example']),
  stored('decider_example_vectors', ['vectors'], { parent: ofExample }),
  stored('decider_fits', ['heads', 'report'], { changes: ['heads', 'report'] }),
  stored('decision_batches', ['name', 'questions']),
  stored('decision_batch_inputs', ['content'], { parent: ofBatch }),
  stored('decision_batch_results', ['content'], { parent: ofBatch }),
  stored('receipts', ['receipt']),
  stored('index_texts', ['url', 'title', 'text'], { changes: ['title', 'text'] }),
];
