import type { Static } from 'typebox';
import type { CatalogEntry } from '../registry.ts';
import type { ModelList } from './schema.ts';

/** Entries in the order of the registry, which is by id. */
export function toModelList(entries: readonly CatalogEntry[]): Static<typeof ModelList> {
  return {
    object: 'list',
    data: entries.map(({ id, created, ownedBy, price }) => ({
      id,
      object: 'model',
      created,
      owned_by: ownedBy,
      pricing: {
        input: price.input,
        output: price.output,
        cache_read: price.cacheRead,
        cache_write: price.cacheWrite,
        unit: 'usd_per_1m_tokens',
      },
    })),
  };
}
