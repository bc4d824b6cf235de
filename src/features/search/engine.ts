/** What kind of source is asked. `people` and `finance` are kinds of their own; `corpus` answers any. */
export type SearchKind = 'web' | 'academic' | 'sec' | 'people';

/** Limits on what may be found. Applied again to the hits, because backends ignore them. */
export interface Filters {
  /** Host names; sub-domains match. Empty allows all. */
  readonly allowDomains: readonly string[];
  readonly denyDomains: readonly string[];
  /** ISO 639-1 codes. A hit whose language is not known passes. */
  readonly languages: readonly string[];
  /** Publication date, inclusive, `YYYY-MM-DD`. A hit without a date fails a filter on it. */
  readonly publishedAfter: string | null;
  readonly publishedBefore: string | null;
  /** Modification date, likewise; the publication date stands in where no other is known. */
  readonly updatedAfter: string | null;
  readonly updatedBefore: string | null;
  /** Unit: ms before now. */
  readonly maxAgeMs: number | null;
}

export const noFilters: Filters = {
  allowDomains: [],
  denyDomains: [],
  languages: [],
  publishedAfter: null,
  publishedBefore: null,
  updatedAfter: null,
  updatedBefore: null,
  maxAgeMs: null,
};

export interface Place {
  /** ISO 3166-1, two capitals. */
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

export interface SearchQuery {
  readonly text: string;
  readonly kind: SearchKind;
  readonly filters: Filters;
  readonly place: Place | null;
  readonly safe: boolean;
  /** 1 to 50. */
  readonly hitsMax: number;
}

/** Something found. What is not known is null and never made up. */
export interface Hit {
  readonly url: string;
  readonly title: string;
  /** The engine's excerpt, or the passage that fits the query. Plain text. */
  readonly snippet: string;
  /** Publication and modification, `YYYY-MM-DD`. */
  readonly date: string | null;
  readonly lastUpdated: string | null;
  /** ISO 639-1. */
  readonly language: string | null;
}

export interface ImageHit {
  readonly imageUrl: string;
  /** Page on which it stands. */
  readonly originUrl: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

export interface VideoHit {
  readonly url: string;
  readonly thumbnailUrl: string | null;
  readonly thumbnailWidth: number | null;
  readonly thumbnailHeight: number | null;
  /** Unit: s. */
  readonly duration: number | null;
}

/**
 * One source of hits. The spec of `search/engines`; the list is `engines/index.ts`. An engine translates: query to
 * its wire, answer to hits in its own order. Retries, cache, breaker, fusion and filters are `search.ts`.
 */
export interface SearchEngine {
  /** Word of the configuration. */
  readonly name: string;
  readonly kinds: readonly SearchKind[];
  /**
   * Best first. Throws Fault `service_unavailable` (with the wait it asked for), `gateway_timeout`, `bad_gateway`;
   * rejects with the signal's reason when it aborts. Only the own index looks at the account: it has documents of one
   * account. Answers of other engines are kept for all accounts.
   */
  search(query: SearchQuery, signal: AbortSignal, accountId: string): Promise<readonly Hit[]>;
  /** Where the source knows pictures or films. */
  images?(query: SearchQuery, signal: AbortSignal): Promise<readonly ImageHit[]>;
  videos?(query: SearchQuery, signal: AbortSignal): Promise<readonly VideoHit[]>;
  close(): Promise<void>;
}
