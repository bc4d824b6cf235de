import { Type } from 'typebox';
import { entry, map, nullable, secret, section, slug, text, timeout, toggle, url } from './shape.ts';

const filePath = (description: string) => nullable(text(description), description);

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

export const Provider = Type.Union(
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

const Upstream = entry(
  {
    url: url('Address of the server.'),
    key: nullable(secret('API key.'), 'API key of the server; null sends none.'),
    model: nullable(text('Model.'), 'Model name to send; null sends jev-latest to systemone.'),
  },
  'A server that the engine forwards to.',
);
const upstreams = (description: string) => Type.Array(Upstream, { default: [], description });

const ComparedDecider = entry(
  {
    name: slug('Name of the decision model under which it is asked.'),
    engine: Type.Enum(['baseline', 'local', 'systemone', 'logprobs'], {
      description: 'What answers under this name.',
    }),
    upstreams: upstreams('Servers of the engines systemone and logprobs, tried in order.'),
    path: filePath('GGUF file of the engine local; null looks in the data folder.'),
  },
  'A further decider, to be compared with the first.',
);

export const Decisions = section(
  {
    engine: Type.Enum(['auto', 'baseline', 'local', 'systemone', 'logprobs'], {
      default: 'auto',
      description: 'What answers decisions. auto takes the best that is configured, at least the baseline.',
    }),
    served: Type.Array(text('Name of a decision model.'), {
      minItems: 1,
      default: ['svc-decider-v1-27b'],
      description: 'Names of decision models that are answered.',
    }),
    max_input_tokens: Type.Integer({
      minimum: 1,
      maximum: 262_144,
      default: 262_144,
      description: 'Requests of this size and above are refused. It can be lowered only. Unit: tokens.',
    }),
    timeout_s: timeout(60, 'Longest wait for the engine, per request.'),
    upstreams: upstreams('Servers of the engines systemone and logprobs, tried in order.'),
    path: filePath('GGUF file of the engine local; null looks in the data folder.'),
    gpu: toggle(
      false,
      'Let the engine local use a GPU, where node-llama-cpp is installed with its packages.',
    ),
    order: section(
      {
        passes: Type.Enum([1, 2, 'n'], {
          default: 1,
          description:
            'Option orders averaged per question: 1 (as given), 2 (sorted and reversed) or n (up to 8 rotations).',
        }),
      },
      'Averaging over orders of the options, against position bias.',
    ),
    prior: toggle(false, 'Divide each answer by what the engine answers to an empty state.'),
    negation: toggle(false, 'Ask every noul as it stands and denied, and join the two answers.'),
    calibration: filePath('File written by `nestor calibrate`; null means uncalibrated.'),
    compare: Type.Array(ComparedDecider, {
      default: [],
      description: 'Further deciders that answer under names of their own, uncalibrated.',
    }),
  },
  'Decisions.',
);

export const Embeddings = section(
  {
    engine: Type.Enum(['auto', 'baseline', 'local', 'openai-compatible'], {
      default: 'auto',
      description: 'What computes embeddings. auto takes the best that is configured, at least the baseline.',
    }),
    upstreams: upstreams('Servers of the engine openai-compatible, tried in order.'),
    path: filePath('GGUF file of the engine local; null looks in the data folder.'),
  },
  'Embeddings.',
);

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

export const Search = section(
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
);
