/** One billable request. Numbers are kept as they are, never rounded. */
export interface UsageRow {
  /** Unique per request: a row sent twice is kept once. */
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly operation: string;
  /** Canonical name; null where no model took part. */
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What is neither input nor output, by name. */
  readonly otherUnits: Readonly<Record<string, number>> | null;
  readonly costUsd: number;
  /** USD by name. */
  readonly costParts: Readonly<Record<string, number>>;
  readonly requestId: string;
  readonly status: number;
  readonly durationMs: number;
  readonly createdAtMs: number;
}
