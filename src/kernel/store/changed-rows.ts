import type { DeleteResult, InsertResult, UpdateResult } from 'kysely';

interface Change {
  executeTakeFirstOrThrow(): Promise<DeleteResult | InsertResult | UpdateResult>;
}

/** Runs a statement and resolves to how many rows it inserted, updated or deleted. */
export async function changedRows(change: Change): Promise<number> {
  const counts: Partial<DeleteResult & InsertResult & UpdateResult> = await change.executeTakeFirstOrThrow();
  return Number(counts.numUpdatedRows ?? counts.numDeletedRows ?? counts.numInsertedOrUpdatedRows ?? 0n);
}

export async function changesOne(change: Change): Promise<boolean> {
  return (await changedRows(change)) === 1;
}
