import type { Kysely } from 'kysely';

import { Fault } from '../../../kernel/faults.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** What an account may have in the index. Those of all have no limits. */
export interface AccountLimits {
  readonly documentsMax: number;
  /** Of the text of its passages. */
  readonly bytesMax: number;
}

export interface AccountUse {
  readonly documents: number;
  readonly bytes: number;
}

export async function useOf(db: Kysely<Schema>, accountId: string): Promise<AccountUse> {
  const { documents, bytes } = await db
    .selectFrom('corpus_documents')
    .select((eb) => [
      eb.fn.countAll<number>().as('documents'),
      eb.fn.sum<number | string | null>('bytes').as('bytes'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  // PostgreSQL adds integers up to a number that it writes as text.
  return { documents, bytes: Number(bytes ?? 0) };
}

/** Throws Fault `storage_quota_exceeded`. */
export async function refuseBeyond(
  db: Kysely<Schema>,
  accountId: string,
  { documentsMax, bytesMax }: AccountLimits,
): Promise<void> {
  if (accountId === '') return;
  const { documents, bytes } = await useOf(db, accountId);
  if (documents > documentsMax) throw beyond(`${documentsMax} documents`);
  if (bytes > bytesMax) throw beyond(`${Math.floor(bytesMax / 1_048_576)} MiB of text`);
}

const beyond = (limit: string) =>
  new Fault(
    'storage_quota_exceeded',
    `The index of this account holds at most ${limit}. Remove sources or documents from it.`,
  );
