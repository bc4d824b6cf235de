import type { NoAnswer, OnAsked, Search } from './search.ts';

/** The engines that one request asked, over all its queries. */
export class AskedEngines {
  readonly #hits = new Map<string, number>();
  readonly #failed = new Map<string, NoAnswer>();

  readonly note: OnAsked = (engine, outcome) => {
    const isHits = typeof outcome === 'number';
    this.#hits.set(engine, (this.#hits.get(engine) ?? 0) + (isHits ? outcome : 0));
    if (!isHits) this.#failed.set(engine, outcome);
  };

  /** The same search, of which every engine that it asks is noted here. */
  watch(search: Search): Search {
    return {
      ...search,
      find: (query, budget, signal, account) => search.find(query, budget, signal, account, this.note),
    };
  }

  /** The same services, whose tools search so. */
  watchIn<Given extends { readonly tools: { readonly search: Search } }>(services: Given): Given {
    const { tools } = services;
    return { ...services, tools: { ...tools, search: this.watch(tools.search) } };
  }

  /** `x-nestor-search-engines: searxng;hits=12, brave;hits=0;failed=timeout`, a list of RFC 9651. Empty where none was asked. */
  toHeaders(): Readonly<Record<string, string>> {
    if (this.#hits.size === 0) return {};
    const members = [...this.#hits].map(([engine, hits]) => {
      const failed = this.#failed.get(engine);
      return `${engine};hits=${hits}${failed === undefined ? '' : `;failed=${failed}`}`;
    });
    return { 'x-nestor-search-engines': members.join(', ') };
  }
}
