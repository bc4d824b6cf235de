import { Type } from 'typebox';
import { entry, nullable, secret, section, timeout, url } from '../../kernel/config/shape.ts';

const kind = <const T extends string>(type: T, description: string) => Type.Literal(type, { description });

const engineUrl = nullable(url('Address.'), "Address of the engine; null is the service's own.");

const SearchEngine = Type.Union(
  [
    entry(
      {
        type: kind('searxng', 'A SearXNG instance.'),
        url: url('Address of the instance.'),
        key: nullable(secret('Key.'), 'Bearer key where the instance stands behind one; null sends none.'),
      },
      'A SearXNG instance.',
    ),
    entry(
      {
        type: Type.Enum(['brave', 'tavily', 'exa', 'serper'], {
          description: 'A web search service that needs a key.',
        }),
        url: engineUrl,
        key: secret('API key of the service.'),
      },
      'A web search service that needs a key.',
    ),
    entry(
      {
        type: Type.Enum(['openalex', 'arxiv', 'crossref', 'sec', 'orcid', 'wikidata'], {
          description: 'A public source that needs no key.',
        }),
        url: engineUrl,
        key: nullable(secret('Key.'), 'Key for higher limits, where the source has one.'),
      },
      'A public source that needs no key.',
    ),
  ],
  { description: 'One search engine, chosen by `type`.' },
);

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

export const searchKeys = {
  search: section(
    {
      engines: Type.Array(SearchEngine, {
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
};
