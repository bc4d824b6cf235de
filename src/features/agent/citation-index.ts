import type { Found } from '../search/feature.ts';
import type { Source } from '../tools/feature.ts';
import type { Passage } from '../verification/feature.ts';

/** The pages that a run has seen, each under one number whatever tool found it. */
export class CitationIndex {
  readonly #byUrl = new Map<string, Source>();
  readonly #byId: Source[] = [];
  readonly #texts = new Map<number, Set<string>>();

  /** The number stays with the first sight of a page; what was found of it is what is found now. */
  cite(found: Found): Source {
    const known = this.#byUrl.get(found.url);
    const source = { ...found, id: known?.id ?? this.#byId.length + 1 };
    if (known === undefined) {
      this.#byUrl.set(found.url, source);
      this.#byId.push(source);
    }
    const texts = this.#texts.get(source.id) ?? new Set();
    this.#texts.set(source.id, texts.add(source.text.trim() === '' ? source.snippet : source.text));
    return source;
  }

  find(id: number): Source | undefined {
    return this.#byId[id - 1];
  }

  /** What was seen of a page, each text once: what a search found of it, and what was read of it later. */
  passages(id: number): readonly Passage[] {
    const { url = '', title = '' } = this.find(id) ?? {};
    return [...(this.#texts.get(id) ?? [])].map((text) => ({ id, url, title, text }));
  }

  /** In order of their numbers, as first seen. */
  all(): readonly Source[] {
    return this.#byId;
  }
}
