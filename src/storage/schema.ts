import type { ColumnType, Generated } from 'kysely';

/**
 * The tables as both stores know them: times are integers with their unit in the name, JSON is text,
 * booleans are 0 and 1.
 */
export interface Schema {
  readonly accounts: AccountsTable;
  readonly keys: KeysTable;
}

type Fixed<T> = ColumnType<T, T, never>;

export interface AccountsTable {
  readonly id: Fixed<string>;
  readonly name: string;
  readonly created_at_ms: Fixed<number>;
  readonly credits_purchased_usd: Generated<number>;
}

export interface KeysTable {
  /** SHA-256 of the key as lower-case hex; the key itself is nowhere. */
  readonly hash: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly kind: Fixed<'root' | 'token'>;
  readonly name: string | null;
  readonly last4: Fixed<string>;
  readonly created_at_ms: Fixed<number>;
  readonly revoked_at_ms: number | null;
}
