import type { Static } from 'typebox';
import { toPricing, type CatalogEntry } from '../../../models/feature.ts';
import type { RouterModel, RouterModelList } from './schema.ts';

export function fromEntry(entry: CatalogEntry): Static<typeof RouterModel> {
  const { id, created, displayName, ownedBy, price } = entry;
  return {
    id,
    object: 'model',
    type: 'model',
    created,
    created_at: new Date(created * 1_000).toISOString().replace('.000Z', 'Z'),
    display_name: displayName,
    owned_by: ownedBy,
    pricing: toPricing(price),
  };
}

export function fromEntries(entries: readonly CatalogEntry[]): Static<typeof RouterModelList> {
  const data = entries.map(fromEntry);
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
