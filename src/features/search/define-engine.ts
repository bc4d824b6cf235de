import type { TSchema } from 'typebox';
import { nullable, secret, url } from '../../kernel/config/shape.ts';
import type { SettingsOf, VariantSettings } from '../../kernel/config/variants.ts';
import type { SearchEngine } from './engine.ts';
import type { EngineOptions } from './web-engine.ts';

/** What an engine works with beside its own settings. */
export type EngineContext = Pick<EngineOptions, 'calls' | 'clock'>;

/** An entry of `search.engines`. What else it has depends on its type. */
export interface SearchEngineEntry {
  readonly type: string;
  readonly url?: string | null;
  readonly key?: string | null;
}

/** A search engine of the configuration. The corpus is none of them: it is opened beside the store and always there. */
export interface SearchEngineDeclaration<
  Keys extends Readonly<Record<string, TSchema>> = Record<string, TSchema>,
> {
  /** The value of `type` that chooses it in `search.engines`. */
  readonly type: string;
  readonly settings: VariantSettings<Keys>;
  /** Opens the engine with its entry of the configuration. Nothing is asked yet. */
  open(options: SettingsOf<Keys> & EngineContext): SearchEngine;
}

/**
 * Declares a search engine. Its entry of the configuration follows from the list in `engines/index.ts`.
 *
 * @example
 * export const kagi = defineSearchEngine({ type: 'kagi', settings: keyedService, open: openKagiEngine });
 */
export function defineSearchEngine<const Keys extends Readonly<Record<string, TSchema>>>(
  engine: SearchEngineDeclaration<Keys>,
): SearchEngineDeclaration {
  // An engine is opened with an entry that its own settings accepted, so the narrower type is safe to forget.
  return engine;
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
