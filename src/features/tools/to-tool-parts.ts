import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { Settings } from '../../kernel/feature.ts';
import type { SharedRunner } from '../sandbox/runner.ts';
import { toolPricesUsd, type ToolParts } from './index.ts';
import type { OpenParts } from '../../server/parts.ts';

/** What tools of the agent and of chat work with. A price of the configuration stands over the usual one. */
export function toToolParts(
  { priceOf }: Pick<Settings, 'priceOf'>,
  { search, pages, finance, clock, ids }: Pick<OpenParts, 'search' | 'pages' | 'finance' | 'clock' | 'ids'>,
  sandbox: () => SharedRunner | null,
  onFailure: OnFailure,
): ToolParts {
  return {
    search,
    pages,
    finance,
    // A runner is looked for while the server serves.
    get sandbox() {
      return sandbox();
    },
    priceOf: (name) => priceOf(name, 'input') ?? toolPricesUsd[name],
    clock,
    ids,
    onFailure,
  };
}
