import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromResponse } from './response.ts';

const publicUrl = 'https://api.crossref.org';

/** Crossref: the register of published articles. */
export function openCrossrefEngine({ url, key, calls, clock }: EngineOptions): SearchEngine {
  return {
    name: 'crossref',
    kinds: ['academic'],
    search: (query, signal) =>
      calls.json(
        toRequest(url ?? publicUrl, key, query, clock.now()),
        (body) => fromResponse(body, clock.now()),
        signal,
      ),
    close: () => Promise.resolve(),
  };
}
