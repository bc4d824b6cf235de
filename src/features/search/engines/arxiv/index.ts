import type { EngineOptions } from '../../engine-options.ts';
import type { SearchEngine } from '../../engine.ts';
import { toRequest } from './request.ts';
import { fromResponse } from './response.ts';

const publicUrl = 'https://export.arxiv.org';

/** arXiv: preprints with their abstracts. */
export function openArxivEngine({ url, calls, clock }: EngineOptions): SearchEngine {
  return {
    name: 'arxiv',
    kinds: ['academic'],
    search: (query, signal) =>
      calls.text(
        toRequest(url ?? publicUrl, query, clock.now()),
        (xml) => fromResponse(xml, clock.now()),
        signal,
      ),
    close: () => Promise.resolve(),
  };
}
