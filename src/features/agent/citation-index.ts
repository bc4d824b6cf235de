import type { Found } from '../search/feature.ts';
import type { Source } from '../tools/feature.ts';

/** The pages that a run has seen, each under one number whatever tool found it. */
export class CitationIndex {
  readonly #byUrl = new Map<string, Source>();
  readonly #byId: Source[] = [];

  /** The number stays with the first sight of a page; what was found of it is what is found now. */
  cite(found: Found): Source {
    const known = this.#byUrl.get(found.url);
    const source = { ...found, id: known?.id ?? this.#byId.length + 1 };
    if (known === undefined) {
      this.#byUrl.set(found.url, source);
      this.#byId.push(source);
    }
    return source;
  }

  find(id: number): Source | undefined {
    return this.#byId[id - 1];
  }

  /** In order of their numbers, as first seen. */
  all(): readonly Source[] {
    return this.#byId;
  }
}
