import type { Static } from 'typebox';
import type { Models } from '../registry.ts';
import type { ModelPrice } from '../model.ts';
import type { ModelList, Pricing } from './schema.ts';

/** Entries in the order of the registry, which is by id. */
export function toModelList(models: Models): Static<typeof ModelList> {
  return {
    object: 'list',
    data: models.list().map(({ id, created, ownedBy, price }) => ({
      id,
      object: 'model',
      created,
      owned_by: ownedBy,
      pricing: toPricing(price),
      available: models.isAvailable(id),
    })),
  };
}

export function toPricing({ input, output, cacheRead, cacheWrite }: ModelPrice): Static<typeof Pricing> {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite, unit: 'usd_per_1m_tokens' };
}
