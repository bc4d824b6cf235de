import { Type } from 'typebox';
import { duration, section, timeout } from '../../kernel/config/shape.ts';
import { variants } from '../../kernel/config/variants.ts';
import type { FinanceDeclaration, SearchEngineDeclaration, SourceEntry } from './define-source.ts';

/** The keys, with an entry of `search.engines` and `search.finance` for each member of their lists. */
export const searchKeys = (
  engines: readonly SearchEngineDeclaration[],
  finance: readonly FinanceDeclaration[],
) => ({
  search: section(
    {
      engines: Type.Array(variants<SourceEntry>(engines, 'One search engine, chosen by `type`.'), {
        default: [],
        description: 'Search engines, tried and merged in this order; the own corpus is always there.',
      }),
      finance: Type.Array(variants<SourceEntry>(finance, 'One source of figures, chosen by `type`.'), {
        default: [],
        description: 'Sources of figures of companies and securities.',
      }),
      timeout_s: timeout(8, 'Longest wait for one engine.'),
      cache_s: duration(600, 2_592_000, 'How long results are kept; 0 keeps none.'),
    },
    'Search.',
  ),
});
