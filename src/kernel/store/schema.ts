import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { DurationCounts } from './durations.ts';
import type { CorpusSourcesTable, IndexTextsTable } from './index-schema.ts';

/**
 * The tables of both stores: times are integers with their unit in the name, JSON is text, booleans are 0 and 1.
 * `buckets` exists on PostgreSQL only and is known to `buckets.ts` alone.
 */
export interface Schema {
  readonly accounts: AccountsTable;
  readonly keys: KeysTable;
  /** Maintained by triggers: `storage-triggers.ts`. */
  readonly account_storage: {
    readonly account_id: Fixed<string>;
    readonly bytes: number;
  };
  readonly credit_purchases: CreditPurchasesTable;
  readonly usage: UsageTable;
  /** Sums by the first five columns. */
  readonly usage_days: {
    readonly account_id: Fixed<string>;
    /** Days since 1970-01-01, UTC. */
    readonly day: Fixed<number>;
    readonly key_id: Fixed<string>;
    readonly operation: Fixed<string>;
    /** Empty where no model ran. */
    readonly model: Fixed<string>;
    readonly requests: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number;
  } & DurationCounts;
  readonly processes: {
    readonly id: Fixed<string>;
    readonly started_at_ms: Fixed<number>;
    readonly seen_at_ms: number;
  };
  readonly secrets: {
    readonly name: Fixed<string>;
    readonly value: Fixed<string>;
  };
  readonly instants: {
    readonly name: Fixed<string>;
    readonly at_ms: number;
  };
  readonly jobs: JobsTable;
  readonly skills: SkillsTable;
  readonly skill_revisions: SkillRevisionsTable;
  readonly deciders: DecidersTable;
  readonly decider_examples: DeciderExamplesTable;
  readonly decider_example_vectors: DeciderExampleVectorsTable;
  readonly decider_fits: DeciderFitsTable;
  readonly receipts: ReceiptsTable;
  readonly decision_batches: DecisionBatchesTable;
  /** A piece of an upload; gone when its lines are answered. */
  readonly decision_batch_inputs: {
    readonly batch_id: Fixed<string>;
    /** From 1, as are those of results. */
    readonly first_line: Fixed<number>;
    readonly lines: Fixed<number>;
    /** Lines whose results are stored. */
    readonly done: Generated<number>;
    readonly content: Fixed<string>;
    /** Starts since the last stored result. */
    readonly starts: Generated<number>;
    readonly lease_owner: string | null;
    readonly lease_until_ms: number | null;
  };
  readonly decision_batch_results: {
    readonly batch_id: Fixed<string>;
    readonly first_line: Fixed<number>;
    /** Lines of the upload, blank ones included. */
    readonly lines: Fixed<number>;
    /** JSON lines. */
    readonly content: Fixed<string>;
  };
  readonly responses: ResponsesTable;
  readonly response_events: {
    readonly response_id: Fixed<string>;
    readonly first_sequence: Fixed<number>;
    /** JSON lines, compressed where long. */
    readonly lines: Fixed<string>;
    readonly expires_at_ms: number;
  };
  readonly response_items: {
    readonly id: Fixed<string>;
    readonly response_id: Fixed<string>;
    /** JSON. */
    readonly item: Fixed<string>;
  };
  readonly response_files: {
    readonly id: Fixed<string>;
    readonly response_id: Fixed<string>;
    readonly position: Fixed<number>;
    readonly filename: Fixed<string>;
    readonly bytes: Fixed<number>;
    /** Base64. */
    readonly content: Fixed<string>;
    readonly created_at_ms: Fixed<number>;
  };
  readonly conversations: {
    readonly id: Fixed<string>;
    readonly account_id: Fixed<string>;
    /** JSON. */
    readonly metadata: string;
    readonly created_at_ms: Fixed<number>;
    readonly expires_at_ms: number;
    /** The response that goes on with it. */
    readonly locked_by: string | null;
    /** On the store's clock, while that response has no row of its own yet. */
    readonly locked_until_ms: number | null;
  };
  readonly conversation_items: {
    readonly ordinal: GeneratedAlways<number>;
    readonly conversation_id: Fixed<string>;
    readonly id: Fixed<string>;
    /** JSON. */
    readonly item: Fixed<string>;
  };
  readonly corpus_sources: CorpusSourcesTable;
  readonly corpus_frontier: {
    readonly source_id: Fixed<string>;
    readonly url: Fixed<string>;
    readonly depth: Fixed<number>;
    readonly is_done: Generated<number>;
  };
  readonly corpus_attempts: {
    readonly source_id: Fixed<string>;
    readonly url: Fixed<string>;
    readonly times: number;
    readonly is_skipped: Generated<number>;
  };
  /** Its word index is known to the `corpus` files alone, which differ by store. */
  readonly corpus_documents: {
    readonly id: GeneratedAlways<number>;
    readonly source_id: Fixed<string>;
    readonly url: Fixed<string>;
    readonly domain: string;
    readonly title: string;
    readonly language: string | null;
    readonly date: string | null;
    readonly last_updated: string | null;
    /** Of the bytes. */
    readonly hash: string;
    /** Of the text. */
    readonly text_hash: string;
    readonly etag: string | null;
    readonly last_modified: string | null;
    readonly embedded_by: string | null;
    readonly fetched_at_ms: number;
    readonly seen_at_ms: number;
    /** That of its source. */
    readonly account_id: Fixed<string>;
    /** Of its passages; 0 for those written before they were counted. */
    readonly bytes: number;
  };
  /** Documents that an account sent, which no other place has. */
  readonly index_texts: IndexTextsTable;
  readonly corpus_passages: {
    readonly id: Fixed<number>;
    readonly heading: Fixed<string>;
    readonly text: Fixed<string>;
    readonly start_at: Fixed<number>;
    readonly vector: Uint8Array | null;
  };
}

type Fixed<T> = ColumnType<T, T, never>;

export interface AccountsTable {
  readonly id: Fixed<string>;
  readonly name: string;
  readonly created_at_ms: Fixed<number>;
  /** Grants plus purchases; never falls. */
  readonly credits_purchased_usd: Generated<number>;
  /** Highest grant of the configuration so far. */
  readonly credits_granted_usd: Generated<number>;
  /** When its deletion began: from then on it has no keys and is shown to nobody. */
  readonly closed_at_ms: number | null;
  /** When nothing was left of it. */
  readonly emptied_at_ms: number | null;
  /** Whether its ledger goes too. */
  readonly forgets_ledger: Generated<number>;
}

export interface KeysTable {
  /** SHA-256 of the key in lower-case hex; the key itself is not stored. */
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
  /** JSON: counts other than tokens, by name. */
  readonly other_units: Fixed<string | null>;
  readonly cost_usd: Fixed<number>;
  /** JSON: USD by name. */
  readonly cost_parts: Fixed<string>;
  readonly request_id: Fixed<string>;
  readonly status: Fixed<number>;
  readonly duration_ms: Fixed<number>;
  readonly created_at_ms: Fixed<number>;
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
  /** Times it was requeued for its backend. */
  readonly waits: Generated<number>;
  /** Time of the last requeue. */
  readonly queued_at_ms: Generated<number | null>;
  readonly lease_owner: string | null;
  /** Not started before. */
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
  /** Zip, base64. */
  readonly bundle: Fixed<string>;
  readonly created_at_ms: Fixed<number>;
}

export interface DecidersTable {
  readonly account_id: Fixed<string>;
  readonly name: Fixed<string>;
  /** JSON. */
  readonly definition: string;
  /** Another with every write, and never used again. */
  readonly revision: string;
  readonly created_at_ms: Fixed<number>;
  readonly updated_at_ms: number;
}

export interface ReceiptsTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  /** JSON. */
  readonly receipt: Fixed<string>;
  readonly created_at_ms: Fixed<number>;
  readonly expires_at_ms: Fixed<number>;
}

export interface DeciderExamplesTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  /** Name of the decider. */
  readonly decider: Fixed<string>;
  /** JSON: state, question and answer. */
  readonly example: Fixed<string>;
  readonly created_at_ms: Fixed<number>;
}

/** Made of an example, and gone with it. */
export interface DeciderExampleVectorsTable {
  readonly example_id: Fixed<string>;
  /** Version of what made them. */
  readonly features: Fixed<string>;
  /** Base64 of numbers of 4 bytes, those of its windows one after the other. */
  readonly vectors: Fixed<string>;
}

/** Of those that were taken, the one with the highest ordinal is in use. */
export interface DeciderFitsTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly decider: Fixed<string>;
  /** One of `FitState`. */
  readonly state: string;
  /** JSON; of one that was taken. */
  readonly heads: string | null;
  /** JSON; of one that came to its end. */
  readonly report: string | null;
  /** Why it failed. */
  readonly error: string | null;
  /** Ordinal of the last example that it learned from. */
  readonly learned_to: number | null;
  /** JSON; counts of what was answered since it is in use. */
  readonly drift: string | null;
  readonly created_at_ms: Fixed<number>;
  readonly ended_at_ms: number | null;
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
}

export interface DecisionBatchesTable {
  readonly ordinal: GeneratedAlways<number>;
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly key_id: Fixed<string>;
  readonly model: Fixed<string>;
  readonly name: Fixed<string | null>;
  /** JSON: questions of rows that have none. */
  readonly questions: Fixed<string | null>;
  /** `receiving` and `removed` are shown to nobody. */
  readonly status: 'receiving' | 'queued' | 'running' | 'completed' | 'cancelled' | 'expired' | 'removed';
  readonly rows: Generated<number>;
  readonly answered: Generated<number>;
  readonly failed: Generated<number>;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Waits in a row. */
  readonly waits: Generated<number>;
  readonly waits_for: string | null;
  readonly created_at_ms: Fixed<number>;
  /** When a piece was last begun. */
  readonly served_at_ms: number;
  readonly expires_at_ms: number;
  readonly not_before_ms: number | null;
  readonly started_at_ms: number | null;
  readonly ended_at_ms: number | null;
}

export interface ResponsesTable {
  readonly id: Fixed<string>;
  readonly account_id: Fixed<string>;
  readonly status: 'in_progress' | 'requires_action' | 'completed' | 'failed';
  /** 0: kept for a while as the predecessor of others, and not shown. */
  readonly is_stored: Fixed<number>;
  readonly previous_id: Fixed<string | null>;
  /** JSON. */
  readonly input: Fixed<string>;
  /** JSON. */
  readonly response: string;
  readonly last_sequence: number | null;
  readonly is_cancelled: Generated<number>;
  readonly lease_owner: string | null;
  readonly lease_until_ms: number | null;
  readonly created_at_ms: Fixed<number>;
  readonly ended_at_ms: number | null;
  readonly expires_at_ms: number;
}
