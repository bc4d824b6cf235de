export interface SearchForm {
  readonly query: string;
  /** Separated by commas or spaces; `-` before one excludes it. */
  readonly domains: string;
  readonly recency: string | null;
  readonly mode: string;
  readonly count: string;
}

/** The body of `POST /search`: what was left at its default is left out. */
export function toBody({ query, domains, recency, mode, count }: SearchForm): Record<string, unknown> {
  const named = domains.split(/[\s,]+/).filter((domain) => domain !== '');
  return {
    query: query.trim(),
    max_results: Number(count),
    ...(named.length === 0 ? {} : { search_domain_filter: named }),
    ...(recency === null ? {} : { search_recency_filter: recency }),
    ...(mode === 'web' ? {} : { search_mode: mode }),
  };
}
