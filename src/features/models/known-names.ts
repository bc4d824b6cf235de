import type { ConfigKeys } from '../../kernel/config.ts';
import { suggestNames, toPath } from '../../kernel/config/names.ts';
import { ownRests } from './catalog-data.ts';

/** What follows the family in the names of embedders; `openapi.test.ts` compares them with those there are. */
const embedderRests = 'v1-0.6b v1-4b context-v1-0.6b context-v1-4b'.split(' ');

const modelParts = ['input', 'output', 'cache_read', 'cache_write'];
const requestParts = ['request_low', 'request_medium', 'request_high'];
const chatParts = [
  ...'input output reasoning search'.split(' '),
  ...requestParts,
  ...requestParts.map((part) => `pro_${part}`),
];
/** Priced by one number. */
const units = 'decisions search search_web search_people finance_search fetch_url sandbox'.split(' ');

/** Parts of every price that has no provider in its name; `openapi.test.ts` compares them with what is asked. */
export function pricedParts(family: string): ReadonlyMap<string, readonly string[]> {
  const one = [...embedderRests.map((rest) => `${family}-embed-${rest}`), ...units];
  return new Map<string, readonly string[]>([
    ...ownRests.map((rest) => [family + rest, chatParts] as const),
    ...one.map((name) => [name, ['input']] as const),
  ]);
}

/** Names without a provider that an alias may stand for. */
function aliasable({ family, aliases, decisions }: ConfigKeys): ReadonlySet<string> {
  const upstream = [
    ...ownRests.map((rest) => `sonar${rest}`),
    ...embedderRests.map((rest) => `pplx-embed-${rest}`),
  ];
  return new Set([
    ...ownRests.map((rest) => family + rest),
    ...embedderRests.map((rest) => `${family}-embed-${rest}`),
    ...decisions.served,
    ...[...decisions.compare, ...decisions.deciders].map(({ name }) => name),
    ...(aliases.upstream ? upstream : []),
  ]);
}

/** Prices and aliases for names that nothing can have. Those with a provider are known once it was asked. */
export function findUnknownNames(config: ConfigKeys): readonly (readonly [path: string, problem: string])[] {
  const found: [path: string, problem: string][] = [];
  const priced = pricedParts(config.family);
  for (const [item, price] of Object.entries(config.prices)) {
    const path = toPath('prices', item);
    const parts = item.includes('/') ? modelParts : priced.get(item);
    if (parts === undefined)
      found.push([path, `prices nothing; ${suggestNames(item, [...priced.keys(), 'provider/model'])}`]);
    else if (typeof price === 'object')
      for (const part of Object.keys(price))
        if (!parts.includes(part))
          found.push([toPath(path, part), `prices nothing; ${suggestNames(part, parts)}`]);
  }
  const names = aliasable(config);
  for (const [alias, target] of Object.entries(config.aliases.models)) {
    if (target.includes('/') || names.has(target) || Object.hasOwn(config.aliases.models, target)) continue;
    const known = suggestNames(target, [...names, 'provider/model']);
    found.push([toPath('aliases.models', alias), `is "${target}", which no model is called; ${known}`]);
  }
  return found;
}
