import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromResponse } from './response.ts';

const publicUrl = 'https://api.tavily.com';

/** The Tavily search API. */
export function openTavilyEngine({
  url,
  key,
  calls,
  clock,
}: EngineOptions & { readonly key: string }): SearchEngine {
  return {
    name: 'tavily',
    kinds: ['web'],
    search: (query, signal) =>
      calls.json(
        toRequest(url ?? publicUrl, key, query, clock.now()),
        (body) => fromResponse(body, clock.now()),
        signal,
      ),
    close: () => Promise.resolve(),
  };
}
