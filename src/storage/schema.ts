import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/**
 * The tables as both stores know them: times are integers with their unit in the name, JSON is text,
 * booleans are 0 and 1. `buckets` is on PostgreSQL only and known to `buckets.ts` alone.
 */
export interface Schema {
  readonly accounts: AccountsTable;
  readonly keys: KeysTable;
  readonly credit_purchases: CreditPurchasesTable;
  readonly usage: UsageTable;
  readonly processes: ProcessesTable;
  readonly secrets: SecretsTable;
  readonly jobs: JobsTable;
  readonly skills: SkillsTable;
  readonly skill_revisions: SkillRevisionsTable;
}

type Fixed<T> = ColumnType<T, T, never>;

export interface AccountsTable {
  readonly id: Fixed<string>;
  readonly name: string;
  readonly created_at_ms: Fixed<number>;
  /** What was granted plus the sum of the purchases; never falls. */
  readonly credits_purchased_usd: Generated<number>;
  /** The most that the configuration ever granted. */
  readonly credits_granted_usd: Generated<number>;
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
  readonly last_used_at_ms: number | null;
}

export interface CreditPurchasesTable {
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly amount_usd: Fixed<number>;
  readonly note: Fixed<string>;
  readonly created_at_ms: Fixed<number>;
}

export interface UsageTable {
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly key_id: Fixed<string>;
  readonly operation: Fixed<string>;
  readonly model: Fixed<string | null>;
  readonly input_tokens: Fixed<number>;
  readonly output_tokens: Fixed<number>;
  /** JSON: what is neither input nor output, as numbers by name. */
  readonly other_units: Fixed<string | null>;
  readonly cost_usd: Fixed<number>;
  /** JSON: USD by name. */
  readonly cost_parts: Fixed<string>;
  readonly request_id: Fixed<string>;
  readonly status: Fixed<number>;
  readonly duration_ms: Fixed<number>;
  readonly created_at_ms: Fixed<number>;
}

export interface ProcessesTable {
  readonly id: Fixed<string>;
  readonly started_at_ms: Fixed<number>;
  readonly seen_at_ms: number;
}

export interface SecretsTable {
  readonly name: Fixed<string>;
  readonly value: Fixed<string>;
}

export interface JobsTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly key_id: Fixed<string>;
  readonly model: Fixed<string>;
  readonly status: 'CREATED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  /** JSON. */
  readonly request: Fixed<string>;
  readonly request_hash: Fixed<string>;
  readonly idempotency_key: Fixed<string | null>;
  /** JSON. */
  readonly response: string | null;
  readonly error_message: string | null;
  readonly created_at_ms: Fixed<number>;
  readonly started_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly starts: Generated<number>;
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
}

export interface SkillsTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly latest_revision: string;
  readonly created_at_ms: Fixed<number>;
  readonly updated_at_ms: number;
}

export interface SkillRevisionsTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly skill_id: Fixed<string>;
  readonly name: Fixed<string>;
  readonly description: Fixed<string>;
  /** JSON. */
  readonly extra: Fixed<string>;
  /** The zip as base64. */
  readonly bundle: Fixed<string>;
  readonly created_at_ms: Fixed<number>;
}
