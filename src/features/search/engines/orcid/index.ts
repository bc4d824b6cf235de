import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromResponse } from './response.ts';

const publicUrl = 'https://pub.orcid.org';

/** ORCID: researchers with their institutions. */
export function openOrcidEngine({ url, calls, clock }: EngineOptions): SearchEngine {
  return {
    name: 'orcid',
    kinds: ['people'],
    search: (query, signal) =>
      calls.json(toRequest(url ?? publicUrl, query), (body) => fromResponse(body, clock.now()), signal),
    close: () => Promise.resolve(),
  };
}
