import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromResponse } from './response.ts';

const publicUrl = 'https://api.exa.ai';

/** The Exa search API. */
export function openExaEngine({
  url,
  key,
  calls,
  clock,
}: EngineOptions & { readonly key: string }): SearchEngine {
  return {
    name: 'exa',
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
