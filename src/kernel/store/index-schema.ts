import type { ColumnType, GeneratedAlways } from 'kysely';

/** What is indexed, of all and of accounts. Part of `schema.ts`. */

type Fixed<T> = ColumnType<T, T, never>;

export interface CorpusSourcesTable {
  readonly id: Fixed<string>;
  readonly kind: string;
  readonly location: Fixed<string>;
  /** JSON. */
  readonly options: string;
  readonly every_ms: number | null;
  readonly added_at_ms: Fixed<number>;
  /** Start of the unfinished refresh. */
  readonly begun_at_ms: number | null;
  readonly refreshed_at_ms: number | null;
  readonly due_at_ms: number | null;
  /** JSON: result of the last refresh. */
  readonly outcome: string | null;
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
  /** Address at which the process died twice. */
  readonly set_aside: string | null;
  /** Whose searches find it; empty for those of all. */
  readonly account_id: Fixed<string>;
}

export interface IndexTextsTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly url: Fixed<string>;
  readonly title: string;
  /** Compressed where long. */
  readonly text: string;
  readonly language: string | null;
  /** `YYYY-MM-DD`. */
  readonly date: string | null;
  readonly written_at_ms: number;
}
