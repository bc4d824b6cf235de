import { Type } from 'typebox';
import type { FeatureConfig } from '../../kernel/config.ts';
import { embeddedName } from './catalog.ts';
import { entry, map, nullable, secret, slug, text, timeout, toggle, url } from '../../kernel/config/shape.ts';

const cachePrice = (description: string) =>
  nullable(Type.Number({ minimum: 0, description }), `${description} Null is the price of input.`);

const Price = nullable(
  entry(
    {
      input: Type.Number({ minimum: 0, default: 0, description: 'USD per million input tokens.' }),
      output: Type.Number({ minimum: 0, default: 0, description: 'USD per million output tokens.' }),
      cache_read: cachePrice('USD per million input tokens read from the cache of the provider.'),
      cache_write: cachePrice('USD per million input tokens written to the cache of the provider.'),
    },
    'What the model costs; metered, never blocked.',
  ),
  'What the model costs; metered, never blocked. Null asks the provider; nothing where it does not tell.',
);

const ProviderModel = Type.Object(
  {
    id: text("The model's name at the provider; here it is called provider/id."),
    context: nullable(
      Type.Integer({ minimum: 1, description: 'Context window.' }),
      'Context window; null asks the provider. Unit: tokens.',
    ),
    price: Price,
    router: toggle(true, 'Whether the router serves this model.'),
  },
  {
    additionalProperties: false,
    short: 'id',
    allowed: 'a model name or a mapping with "id"',
    description:
      'A model: its name, or a mapping with its name, context, price and whether the router serves it.',
  },
);

const modelList = (bounds: { readonly minItems?: number }) =>
  Type.Array(ProviderModel, {
    ...bounds,
    description: 'The models to offer, by name or with their properties.',
  });

const models = Type.Union([Type.Literal('*'), modelList({})], {
  default: '*',
  description: '"*" asks the server which models it has; a list offers exactly these.',
});

const name = slug('Name of the provider and prefix of its models: name/model.');
const headers = map(Type.String({ secret: 'whole', description: 'Value of the header.' }), {
  description: 'Headers sent with every request to this provider.',
});
const key = nullable(secret('API key.'), 'API key of the provider; null sends none.');
const timeouts = {
  timeout_s: timeout(120, 'Longest wait for the first event of an answer, and between two events.'),
  total_timeout_s: timeout(900, 'Longest duration of a whole answer.'),
};
const kind = <const T extends string>(type: T, description: string) => Type.Literal(type, { description });

const Provider = Type.Union(
  [
    entry(
      {
        name,
        type: kind('openai-compatible', 'Any server that speaks the OpenAI interface.'),
        base_url: url('Address of the interface, with its version: https://api.openai.com/v1.'),
        key,
        models,
        ...timeouts,
        headers,
      },
      'A server that speaks the OpenAI interface: OpenAI, vLLM, SGLang, llama-server, Ollama, OpenRouter and others.',
    ),
    entry(
      {
        name,
        type: kind('anthropic', 'The Anthropic messages interface.'),
        base_url: url('Address of the interface, with its version.', {
          default: 'https://api.anthropic.com/v1',
        }),
        key,
        models,
        ...timeouts,
        headers,
      },
      'A server that speaks the Anthropic messages interface.',
    ),
    entry(
      { name, type: kind('local', 'A GGUF file run in this process.'), path: text('The GGUF file.'), models },
      'A GGUF file run in this process.',
    ),
    entry(
      {
        name,
        type: kind('ai-sdk', 'Any provider package of the AI SDK.'),
        package: text('npm name of the provider package, installed beside Nestor: @ai-sdk/mistral.'),
        base_url: nullable(url('Address.'), "Address of the interface; null is the package's own."),
        key,
        models: modelList({ minItems: 1 }),
        ...timeouts,
        headers,
      },
      'A provider package of the AI SDK.',
    ),
  ],
  { description: 'One provider of models, chosen by `type`.' },
);

const targetPattern = String.raw`^(auto|[a-z][a-z0-9-]{0,31}/\S+)$`;
const targetAllowed = '"auto" or provider/model';

const WeightedTarget = entry(
  {
    model: Type.String({
      pattern: targetPattern,
      allowed: targetAllowed,
      description: '"auto" or provider/model.',
    }),
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
  Type.Union(
    [
      Type.String({
        pattern: targetPattern,
        allowed: targetAllowed,
        description: '"auto" or provider/model.',
      }),
      WeightedTarget,
    ],
    {
      allowed: '"auto", provider/model, or a mapping with "model" and "weight"',
      description: 'A target, or one with its share of the requests.',
    },
  ),
  {
    minItems: 1,
    short: 'one',
    allowed: '"auto", provider/model, or a list of them',
    description: '"auto", provider/model, or a list of them tried in order; entries may carry a weight.',
  },
);

export const modelKeys = {
  providers: Type.Array(Provider, { default: [], description: 'Providers of models.' }),
  detect: toggle(true, 'Look for provider keys, local servers and GGUF files when `providers` is empty.'),
  models: map(Targets, {
    default: { svc: 'auto', 'svc-pro': 'auto', 'svc-reasoning-pro': 'auto', 'svc-deep-research': 'auto' },
    description: "What the service's own names run on; names left out keep their default.",
  }),
};

export const modelConfig: FeatureConfig = {
  keys: modelKeys,
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
};
