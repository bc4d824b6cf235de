import { Type } from 'typebox';
import { variants } from '../../kernel/config/variants.ts';
import type { SearchEngineDeclaration, SearchEngineEntry } from './define-engine.ts';
import { entry, nullable, secret, section, timeout, url } from '../../kernel/config/shape.ts';

const kind = <const T extends string>(type: T, description: string) => Type.Literal(type, { description });

const FinanceSource = Type.Union(
  [
    entry(
      {
        type: kind('edgar', 'Companies that file with the SEC: profiles and figures of their reports.'),
        url: nullable(url('Address of a mirror.'), 'Address of a mirror; null is the public interface.'),
      },
      'Companies that file with the SEC.',
    ),
    entry(
      {
        type: kind('twelvedata', 'Last prices of securities, from Twelve Data.'),
        url: nullable(url('Address of the interface.'), 'Address of the interface; null is the public one.'),
        key: secret('API key of the service.'),
      },
      'Last prices of securities.',
    ),
  ],
  { description: 'One source of figures, chosen by `type`.' },
);

/** The keys, with an entry of `search.engines` for each engine. */
export const searchKeys = (engines: readonly SearchEngineDeclaration[]) => ({
  search: section(
    {
      engines: Type.Array(variants<SearchEngineEntry>(engines, 'One search engine, chosen by `type`.'), {
        default: [],
        description: 'Search engines, tried and merged in this order; the own corpus is always there.',
      }),
      finance: Type.Array(FinanceSource, {
        default: [],
        description: 'Sources of figures of companies and securities.',
      }),
      timeout_s: timeout(8, 'Longest wait for one engine.'),
      cache_s: Type.Number({
        minimum: 0,
        maximum: 2_592_000,
        default: 600,
        description: 'How long results are kept; 0 keeps none. Unit: s.',
      }),
    },
    'Search.',
  ),
});
