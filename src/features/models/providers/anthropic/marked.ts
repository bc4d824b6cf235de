import type { JsonObject } from '../../../../kernel/kit/json.ts';
import type { CacheMark } from '../../model.ts';

/** The block with a mark of the prompt cache, of which the wire takes four. Five minutes are its default. */
export function marked(block: JsonObject, mark: CacheMark | undefined): JsonObject {
  if (mark === undefined) return block;
  const { cache_control: _, ...rest } = block;
  return { ...rest, cache_control: { type: 'ephemeral', ...(mark === '1h' && { ttl: mark }) } };
}
