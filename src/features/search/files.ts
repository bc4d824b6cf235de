import type { Kysely } from 'kysely';

import type { Schema } from '../../kernel/store/schema.ts';
import { noFilters } from './engine.ts';
import type { CorpusEngine } from './engines/corpus/index.ts';
import type { Found } from './search.ts';

/** A document of the index with its passages that fit a query. */
export interface FoundFile extends Found {
  /** 0 to 1. */
  readonly score: number;
}

/** Search in some sources of the own index: in those of all, and in those of the account. */
export interface FileSearch {
  /** The first of the ids that is no source for the account; null when there is one for each. */
  findMissing(sourceIds: readonly string[], accountId: string): Promise<string | null>;
  /** Best first. Rejects with the reason of the signal. */
  find(
    text: string,
    sourceIds: readonly string[],
    hitsMax: number,
    signal: AbortSignal,
    accountId: string,
  ): Promise<readonly FoundFile[]>;
}

export function createFileSearch(corpus: CorpusEngine, db: Kysely<Schema>): FileSearch {
  return {
    async findMissing(sourceIds, accountId) {
      const rows = await db
        .selectFrom('corpus_sources')
        .select('id')
        .where('id', 'in', sourceIds)
        .where('account_id', 'in', ['', accountId])
        .execute();
      const known = new Set(rows.map(({ id }) => id));
      return sourceIds.find((id) => !known.has(id)) ?? null;
    },
    async find(text, sourceIds, hitsMax, signal, accountId) {
      const asked = { kind: 'web', filters: noFilters, place: null, safe: true } as const;
      const hits = await corpus.searchIn(sourceIds, { ...asked, text, hitsMax }, signal, accountId);
      return hits.map(({ score, ...hit }) => ({
        ...hit,
        text: hit.snippet,
        score: Math.min(1, Math.max(0, score)),
      }));
    },
  };
}
