import { Type } from 'typebox';
import type { FeatureConfig } from '../../kernel/config.ts';
import { balances } from './balance/balancer.ts';
import { embeddedName } from './catalog.ts';
import { entry, map, oneOf, toggle } from '../../kernel/config/shape.ts';
import { findUnknownNames } from './known-names.ts';
import { variants } from '../../kernel/config/variants.ts';
import { commonKeys, type ProviderDeclaration, type ProviderSettings } from './define-provider.ts';

const Target = Type.String({
  pattern: String.raw`^(auto|[a-z][a-z0-9-]{0,31}/\S+)$`,
  allowed: '"auto" or provider/model',
  description: '"auto" or provider/model.',
});

const WeightedTarget = entry(
  {
    model: Target,
    weight: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Share of the requests among weighted neighbours.',
    }),
  },
  'A target that shares requests with the weighted targets next to it.',
);

/** What a name of the service runs on: an entry, or several tried in order; weighted neighbours share a place. */
const Targets = Type.Array(
  Type.Union([Target, WeightedTarget], {
    allowed: '"auto", provider/model, or a mapping with "model" and "weight"',
    description: 'A target, or one with its share of the requests.',
  }),
  {
    minItems: 1,
    short: 'one',
    allowed: '"auto", provider/model, or a list of them',
    description: '"auto", provider/model, or a list of them tried in order; entries may carry a weight.',
  },
);

/** The keys, with an entry of `providers` for each provider. */
export const modelKeys = (providers: readonly ProviderDeclaration[]) => ({
  providers: Type.Array(
    variants<ProviderSettings>(providers, 'One provider of models, chosen by `type`.', commonKeys),
    { default: [], description: 'Providers of models.' },
  ),
  detect: toggle(
    true,
    'Look for provider keys, local servers and GGUF files when `providers` is empty, and tell of decision servers when `decisions` names none.',
  ),
  models: map(Targets, {
    default: { svc: 'auto', 'svc-pro': 'auto', 'svc-reasoning-pro': 'auto', 'svc-deep-research': 'auto' },
    description: "What the service's own names run on; names left out keep their default.",
  }),
  balance: oneOf(balances, {
    default: 'auto',
    description:
      'How calls are spread over weighted neighbours: in turns (`weight`), to whoever has the beginning of the prompt (`prefix`), or to whoever answers first (`latency`). `auto` is `prefix` among replicas of one model, else `weight`.',
  }),
});

export const modelConfig = (known: readonly ProviderDeclaration[]): FeatureConfig => ({
  keys: modelKeys(known),
  check({ providers, family }, fail) {
    const firstNames = new Map<string, number>();
    for (const [index, { name }] of providers.entries()) {
      const path = `providers[${index}].name`;
      const first = firstNames.get(name);
      if (first !== undefined)
        fail(path, `is "${name}", as providers[${first}].name; allowed: every name once`);
      if (name === family) fail(path, `is "${name}", as family; allowed: a name of its own`);
      if (name === embeddedName)
        fail(path, `is "${name}", as the model that ships; allowed: a name of its own`);
      firstNames.set(name, index);
    }
  },
  warn: (config, toSource) =>
    findUnknownNames(config).map(([path, problem]) => `${toSource(path)}: ${path} ${problem}`),
});
