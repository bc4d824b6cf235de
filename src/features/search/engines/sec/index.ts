import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromResponse } from './response.ts';

const publicUrl = 'https://efts.sec.gov';
const archiveUrl = 'https://www.sec.gov';

/** Filings at the SEC by full text. The SEC wants `outbound.user_agent` to name who asks, with an address of mail. */
export function openSecEngine({ url, calls, clock }: EngineOptions): SearchEngine {
  return {
    name: 'sec',
    kinds: ['sec'],
    search: (query, signal) =>
      calls.json(
        toRequest(url ?? publicUrl, query, clock.now()),
        (body) => fromResponse(body, archiveUrl, query.hitsMax, clock.now()),
        signal,
      ),
    close: () => Promise.resolve(),
  };
}
