import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { attribute } from './context-block.ts';

export interface Several<Value> {
  /** Of those that answered, in the order of the queries. */
  readonly values: readonly Value[];
  /** For the model: what was asked in vain; empty when nothing was. */
  readonly note: string;
}

/**
 * Asks for each query at the same time. One that fails costs its own results and no others; when all fail the first
 * reason is thrown.
 */
export async function findSeveral<Value>(
  queries: readonly string[],
  find: (query: string) => Promise<Value>,
  onFailure: OnFailure,
): Promise<Several<Value>> {
  const outcomes = await Promise.allSettled(queries.map(find));
  const failed = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [{ query: queries[at] ?? '', reason: outcome.reason as unknown }] : [],
  );
  const [first] = failed;
  if (first !== undefined && failed.length === queries.length) throw first.reason;
  for (const { reason } of failed) onFailure('query', reason);
  const names = failed.map(({ query }) => `"${attribute(query)}"`).join(', ');
  return {
    values: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    note: failed.length === 0 ? '' : `\n\nThese queries failed and have no results here: ${names}.`,
  };
}
