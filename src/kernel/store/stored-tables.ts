import { sql, type RawBuilder } from 'kysely';

/** A table of what one account can make grow. */
export interface StoredTable {
  readonly table: string;
  /** What names the account, where the row itself does not. */
  readonly parent: { readonly table: string; readonly column: string } | null;
  /** Columns that change after a row was made. */
  readonly changes: readonly string[];
  /** Bytes of a row of this name: `new`, `old` or the table. */
  readonly bytesOf: (row: string) => RawBuilder<number>;
}

/** What a row takes beside its texts, about: many small rows fill a disk as well. */
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

const ofResponse = { table: 'responses', column: 'response_id' } as const;

/** What counts against the quota of an account. Parents stand before their parts. */
export const storedTables: readonly StoredTable[] = [
  stored('responses', ['input', 'response'], { changes: ['response'] }),
  stored('response_events', ['lines'], { parent: ofResponse }),
  stored('response_items', ['item'], { parent: ofResponse }),
  stored('response_files', ['filename', 'content'], { parent: ofResponse }),
  stored('jobs', ['request', 'response', 'error_message'], { changes: ['response', 'error_message'] }),
  stored('skill_revisions', ['description', 'extra', 'bundle'], {
    parent: { table: 'skills', column: 'skill_id' },
  }),
];
