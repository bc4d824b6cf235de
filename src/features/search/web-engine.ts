import type { TSchema } from 'typebox';
import type { SettingsOf, VariantSettings } from '../../kernel/config/variants.ts';
import type { Json } from '../../kernel/kit/json.ts';
import { defineSearchEngine, type SearchEngineDeclaration } from './define-source.ts';
import type { EngineRequest } from './engine-exchange.ts';
import type { SearchEngine, SearchQuery } from './engine.ts';
import { toHits, toImages, toVideos, type RawHit, type RawImage, type RawVideo } from './hits.ts';

/** How the interface of an engine is reached, and when. */
export interface Access<Key = string | null> {
  readonly base: string;
  readonly key: Key;
  readonly nowMs: number;
}

/** One method of an engine: how it is asked, and what its answer holds. `read` throws ResponseError. */
interface Method<Raw, Key> {
  /** Null where nothing is left to ask for: the answer is empty. */
  readonly request: (query: SearchQuery, access: Access<Key>) => EngineRequest | null;
  readonly read: (body: Json, query: SearchQuery) => readonly Raw[];
}

interface WebKeys extends Readonly<Record<string, TSchema>> {
  readonly url: TSchema;
  readonly key: TSchema;
}

interface WebEngine<Keys extends WebKeys, Key = SettingsOf<Keys>['key' & keyof SettingsOf<Keys>]> {
  /** Its `type` in `search.engines`, and its name. */
  readonly type: string;
  readonly settings: VariantSettings<Keys>;
  readonly kinds: SearchEngine['kinds'];
  /** See SourceDeclaration. */
  readonly isPaid?: boolean;
  /** Address of the interface where the entry names none; absent where every entry names one. */
  readonly publicUrl?: string;
  readonly search: Method<RawHit, Key>;
  readonly images?: Method<RawImage, Key>;
  readonly videos?: Method<RawVideo, Key>;
}

/** Declares an engine that answers each question with one JSON document. */
export function defineWebEngine<const Keys extends WebKeys>({
  type,
  settings,
  kinds,
  isPaid = false,
  publicUrl = '',
  ...methods
}: WebEngine<Keys>): SearchEngineDeclaration {
  return defineSearchEngine({
    type,
    settings,
    isPaid,
    open({ calls, clock, ...entry }) {
      const { url, key } = entry as unknown as { readonly url: string | null; readonly key: never };
      const ask =
        <Raw, Item>(
          { request, read }: Method<Raw, never>,
          toItems: (raw: readonly Raw[], nowMs: number) => readonly Item[],
        ) =>
        async (query: SearchQuery, signal: AbortSignal): Promise<readonly Item[]> => {
          const asked = request(query, { base: url ?? publicUrl, key, nowMs: clock.now() });
          return asked === null
            ? []
            : calls.json(asked, (body) => toItems(read(body, query), clock.now()), signal);
        };
      return {
        name: type,
        kinds,
        search: ask(methods.search, toHits),
        ...(methods.images && { images: ask(methods.images, toImages) }),
        ...(methods.videos && { videos: ask(methods.videos, toVideos) }),
        close: () => Promise.resolve(),
      };
    },
  });
}
