import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toAuthorsRequest, toWorksRequest } from './request.ts';
import { fromAuthors, fromWorks } from './response.ts';

const publicUrl = 'https://api.openalex.org';

/** OpenAlex: scholarly works, and the people who wrote them. */
export function openOpenAlexEngine({ url, key, calls, clock }: EngineOptions): SearchEngine {
  const base = url ?? publicUrl;
  return {
    name: 'openalex',
    kinds: ['academic', 'people'],
    search: (query, signal) =>
      query.kind === 'people'
        ? calls.json(toAuthorsRequest(base, key, query), (body) => fromAuthors(body, clock.now()), signal)
        : calls.json(
            toWorksRequest(base, key, query, clock.now()),
            (body) => fromWorks(body, clock.now()),
            signal,
          ),
    close: () => Promise.resolve(),
  };
}
