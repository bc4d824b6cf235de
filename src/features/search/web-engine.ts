import type { Json } from '../../kernel/kit/json.ts';
import type { SourceContext } from './define-source.ts';
import type { EngineRequest } from './engine-calls.ts';
import type { SearchEngine, SearchKind, SearchQuery } from './engine.ts';
import { toHits, toImages, toVideos, type RawHit, type RawImage, type RawVideo } from './hits.ts';

/** What a web engine is opened with. */
export interface EngineOptions extends SourceContext {
  /** Address of the interface; null is the public one. */
  readonly url: string | null;
  readonly key: string | null;
}

/** One method of an engine: how it is asked, and what its answer holds. `read` throws ResponseError. */
interface Method<Raw> {
  /** Null where nothing is left to ask for: the answer is empty. */
  readonly request: (query: SearchQuery, nowMs: number) => EngineRequest | null;
  readonly read: (body: Json, query: SearchQuery) => readonly Raw[];
}

interface WebEngine extends SourceContext {
  readonly name: string;
  readonly kinds: readonly SearchKind[];
  readonly search: Method<RawHit>;
  readonly images?: Method<RawImage>;
  readonly videos?: Method<RawVideo>;
}

/** An engine that answers each question with one JSON document. */
export function createWebEngine({ name, kinds, calls, clock, ...methods }: WebEngine): SearchEngine {
  const ask =
    <Raw, Item>(
      { request, read }: Method<Raw>,
      toItems: (raw: readonly Raw[], nowMs: number) => readonly Item[],
    ) =>
    async (query: SearchQuery, signal: AbortSignal): Promise<readonly Item[]> => {
      const asked = request(query, clock.now());
      return asked === null
        ? []
        : calls.json(asked, (body) => toItems(read(body, query), clock.now()), signal);
    };
  return {
    name,
    kinds,
    search: ask(methods.search, toHits),
    ...(methods.images && { images: ask(methods.images, toImages) }),
    ...(methods.videos && { videos: ask(methods.videos, toVideos) }),
    close: () => Promise.resolve(),
  };
}
