import type { EngineOptions } from '../../engine-options.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { SearchEngine, SearchQuery } from '../../engine.ts';
import { toRequest, withoutOrders, type SearxngCategory } from './request.ts';
import { fromImages, fromResponse, fromVideos } from './response.ts';

/** An instance of SearXNG, a search engine over others. */
export function openSearxngEngine({
  url,
  key,
  calls,
  clock,
}: EngineOptions & { readonly url: string }): SearchEngine {
  const ask = async <Item>(
    asked: SearchQuery,
    category: SearxngCategory,
    read: (body: Json) => readonly Item[],
    signal: AbortSignal,
  ): Promise<readonly Item[]> => {
    const query = withoutOrders(asked);
    return query.text === '' ? [] : calls.json(toRequest(url, key, query, category), read, signal);
  };
  return {
    name: 'searxng',
    kinds: ['web'],
    search: (query, signal) => ask(query, 'general', (body) => fromResponse(body, clock.now()), signal),
    images: (query, signal) => ask(query, 'images', fromImages, signal),
    videos: (query, signal) => ask(query, 'videos', fromVideos, signal),
    close: () => Promise.resolve(),
  };
}
