import type { Services, Settings } from '../../kernel/feature.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { toolPricesUsd, type ToolParts } from './index.ts';

type Parts = Pick<Services, 'search' | 'pages' | 'finance' | 'sandbox' | 'clock' | 'ids'>;

/** What tools of the agent and of chat work with. A price of the configuration stands over the usual one. */
export function toToolParts(
  { priceOf }: Pick<Settings, 'priceOf'>,
  { search, pages, finance, sandbox, clock, ids }: Parts,
  onFailure: OnFailure,
): ToolParts {
  return {
    search,
    pages,
    finance,
    // A runner is looked for while the server serves.
    get sandbox() {
      return sandbox.current();
    },
    priceOf: (name) => priceOf(name, 'input') ?? toolPricesUsd[name],
    clock,
    ids,
    onFailure,
  };
}
