import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromImages, fromResponse, fromVideos } from './response.ts';

const publicUrl = 'https://google.serper.dev';

/** Serper, an interface to the results of Google. It has no switch for safe search. */
export function openSerperEngine({
  url,
  key,
  calls,
  clock,
}: EngineOptions & { readonly key: string }): SearchEngine {
  const base = url ?? publicUrl;
  return {
    name: 'serper',
    kinds: ['web'],
    search: (query, signal) =>
      calls.json(
        toRequest(base, key, query, 'search', clock.now()),
        (body) => fromResponse(body, clock.now()),
        signal,
      ),
    images: (query, signal) =>
      calls.json(toRequest(base, key, query, 'images', clock.now()), fromImages, signal),
    videos: (query, signal) =>
      calls.json(toRequest(base, key, query, 'videos', clock.now()), fromVideos, signal),
    close: () => Promise.resolve(),
  };
}
