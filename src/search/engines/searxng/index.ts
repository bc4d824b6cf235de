import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromImages, fromResponse, fromVideos } from './response.ts';

/** An instance of SearXNG, a search engine over others. */
export function openSearxngEngine({
  url,
  key,
  calls,
  clock,
}: EngineOptions & { readonly url: string }): SearchEngine {
  return {
    name: 'searxng',
    kinds: ['web'],
    search: (query, signal) =>
      calls.json(toRequest(url, key, query, 'general'), (body) => fromResponse(body, clock.now()), signal),
    images: (query, signal) => calls.json(toRequest(url, key, query, 'images'), fromImages, signal),
    videos: (query, signal) => calls.json(toRequest(url, key, query, 'videos'), fromVideos, signal),
    close: () => Promise.resolve(),
  };
}
