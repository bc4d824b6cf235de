import type { Selection } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';

export const batchColumns = [
  'ordinal',
  'id',
  'account_id as accountId',
  'key_id as keyId',
  'model',
  'name',
  'questions',
  'status',
  'rows',
  'answered',
  'failed',
  'input_tokens as inputTokens',
  'output_tokens as outputTokens',
  'waits',
  'waits_for as waitsFor',
  'created_at_ms as createdAtMs',
  'started_at_ms as startedAtMs',
  'ended_at_ms as endedAtMs',
  'expires_at_ms as expiresAtMs',
] as const;
/** `questions` is JSON text, or null where every row has its own. */
export type BatchRow = Readonly<Selection<Schema, 'decision_batches', (typeof batchColumns)[number]>>;

export const openStatuses = ['queued', 'running'] as const;
export const hiddenStatuses = ['receiving', 'removed'] as const;
