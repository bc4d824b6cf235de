import type { CallFailure } from '../../kernel/kit/call-failure.ts';
import type { Search } from './search.ts';

/**
 * Why an engine gave no answer: it was too slow, it is away or busy or was so a moment before, or what it sent cannot be used.
 */
export type NoAnswer = CallFailure['kind'];

/** What came of one query to one engine: so many hits, or none and why. */
export type EngineOutcome = number | NoAnswer;

export type OnAsked = (engine: string, outcome: EngineOutcome) => void;

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
