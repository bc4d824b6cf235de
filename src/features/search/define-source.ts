import type { TSchema } from 'typebox';
import { nullable, secret, url } from '../../kernel/config/shape.ts';
import type { SettingsOf, VariantSettings } from '../../kernel/config/variants.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { EngineCalls } from './engine-exchange.ts';
import type { SearchEngine } from './engine.ts';
import type { FinanceSource } from './finance.ts';

/** What a source works with beside its own settings. */
export interface SourceContext {
  readonly calls: EngineCalls;
  readonly clock: Clock;
}

/** An entry of `search.engines` or `search.finance`. What else it has depends on its type. */
export interface SourceEntry {
  readonly type: string;
  readonly url?: string | null;
  readonly key?: string | null;
}

/** A search engine or a source of figures that the configuration may name. `nestor doctor` asks it once. */
export interface SourceDeclaration<
  Source,
  Keys extends Readonly<Record<string, TSchema>> = Record<string, TSchema>,
> {
  /** The value of `type` that chooses it in the list of the configuration. */
  readonly type: string;
  readonly settings: VariantSettings<Keys>;
  /** A search costs money there, so `nestor doctor` asks with an empty one, which such a service refuses. */
  readonly isPaid?: boolean;
  /** Opens the source with its entry of the configuration. Nothing is asked yet. */
  open(options: SettingsOf<Keys> & SourceContext): Source;
}

export type SearchEngineDeclaration = SourceDeclaration<SearchEngine>;
export type FinanceDeclaration = SourceDeclaration<FinanceSource>;

/** A source is opened with an entry that its own settings accepted, so the narrower type is safe to forget. */
const define =
  <Source>() =>
  <const Keys extends Readonly<Record<string, TSchema>>>(
    source: SourceDeclaration<Source, Keys>,
  ): SourceDeclaration<Source> =>
    source;

/**
 * Declares a search engine. Its entry of the configuration follows from the list in `engines/index.ts`. The corpus is
 * none of them: it is opened beside the store and always there.
 *
 * @example
 * export const kagi = defineSearchEngine({ type: 'kagi', settings: keyedService, open: openKagiEngine });
 */
export const defineSearchEngine = define<SearchEngine>();

/** Declares a source of figures. Its entry of the configuration follows from the list in `finance/index.ts`. */
export const defineFinanceSource = define<FinanceSource>();

/** Opens the source that an entry of the configuration names. */
export function openSource<Source>(
  known: readonly SourceDeclaration<Source>[],
  entry: SourceEntry,
  context: SourceContext,
): Source {
  const source = known.find(({ type }) => type === entry.type);
  if (source === undefined) throw new Error(`no source ${entry.type}`);
  return source.open({ ...entry, ...context });
}

const engineUrl = nullable(url('Address.'), "Address of the engine; null is the service's own.");

export const keyedService = {
  description: 'A web search service that needs a key.',
  keys: { url: engineUrl, key: secret('API key of the service.') },
};

export const publicSource = {
  description: 'A public source that needs no key.',
  keys: {
    url: engineUrl,
    key: nullable(secret('Key.'), 'Key for higher limits, where the source has one.'),
  },
};
