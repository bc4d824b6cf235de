import { Type, type TSchema } from 'typebox';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { entry, headers, nullable, secret, slug, text, timeout, toggle } from '../../kernel/config/shape.ts';
import type { SettingsOf, VariantSettings } from '../../kernel/config/variants.ts';
import type { OpenLocal } from './local-models.ts';
import type { Provider } from './model.ts';

export interface ProviderContext {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Folders in which packages of the AI SDK are looked for, before Nestor's own. */
  readonly packageFolders: readonly string[];
  /** Opens a GGUF file, or hands out the one that others in this process use already. */
  readonly openLocal: OpenLocal;
}

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

export const modelList = (bounds: { readonly minItems?: number } = {}) =>
  Type.Array(ProviderModel, {
    ...bounds,
    description: 'The models to offer, by name or with their properties.',
  });

/** The keys that every entry of `providers` begins with. */
export const commonKeys = { name: slug('Name of the provider and prefix of its models: name/model.') };

export const modelKey = {
  models: Type.Union([Type.Literal('*'), modelList()], {
    default: '*',
    description: '"*" asks the server which models it has; a list offers exactly these.',
  }),
};

export const remoteKeys = {
  key: nullable(secret('API key.'), 'API key of the provider; null sends none.'),
  ...modelKey,
  timeout_s: timeout(120, 'Longest wait for the first event of an answer, and between two events.'),
  total_timeout_s: timeout(900, 'Longest duration of a whole answer.'),
  headers: headers('Headers sent with every request to this provider.'),
};

type Remote = SettingsOf<typeof remoteKeys>;

/** An entry of `providers`. Which of these keys it has, and which others, depends on its type. */
export type ProviderSettings = SettingsOf<typeof commonKeys> &
  Pick<Remote, 'models'> &
  Partial<Omit<Remote, 'models'>> & {
    readonly type: string;
    readonly baseUrl?: string | null;
    readonly path?: string;
  };

/** Converts the settings of a server elsewhere to the options that it is opened with. */
export function toRemoteOptions<Settings extends Remote>(settings: Settings) {
  const { models, timeoutS, totalTimeoutS, ...rest } = settings;
  return {
    ...rest,
    models: models === '*' ? models : models.map(({ id }) => id),
    timeoutMs: timeoutS * 1_000,
    totalTimeoutMs: totalTimeoutS * 1_000,
  };
}

/** Keys of a member: what it offers, and others of its own. */
type Keys = Readonly<Record<string, TSchema>> & { readonly models: TSchema };

/** A member of the family, without its code: that is loaded by `open`, because most servers use few providers. */
export interface ProviderDeclaration<Own extends Keys = Keys> {
  /** The value of `type` that chooses it in `providers`. */
  readonly type: string;
  readonly settings: VariantSettings<Own>;
  /** With `models: "*"` it offers what the server lists, of which only models for chat are taken. */
  readonly lists?: boolean;
  /** Opens the provider with its entry of the configuration. Throws an Error for the operator. */
  open(settings: SettingsOf<Own & typeof commonKeys>, context: ProviderContext): Promise<Provider>;
}

/**
 * Declares a provider of models. Its entry of the configuration follows from the list in `providers/index.ts`.
 *
 * @example
 * export const ovens = defineProvider({
 *   type: 'ovens',
 *   settings: { description: 'Models at Ovens.', keys: remoteKeys },
 *   open: async (settings) => (await import('./index.ts')).openOvens(toRemoteOptions(settings)),
 * });
 */
export function defineProvider<const Own extends Keys>(
  provider: ProviderDeclaration<Own>,
): ProviderDeclaration {
  // A provider is opened with an entry that its own settings accepted, so the narrower type is safe to forget.
  return provider;
}
