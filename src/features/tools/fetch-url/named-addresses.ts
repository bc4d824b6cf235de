/** One character after the other, so that a long text takes no longer in proportion. */
const address = /https?:\/\/[^\s<>"'`\\^{|}()[\]]+/giu;
const urlCharsMax = 2_048;

/** Addresses that were named by others than the model. Compared as they are when they are read as addresses. */
export class NamedAddresses {
  readonly #known = new Set<string>();

  add(url: string): void {
    const normal = normalised(url);
    if (normal !== null) this.#known.add(normal);
  }

  /** Every address that stands in a text, with and without the punctuation behind it. */
  addText(text: string): void {
    for (const [found] of text.matchAll(address)) {
      this.add(found);
      this.add(withoutPunctuation(found));
    }
  }

  has(url: string): boolean {
    const normal = normalised(url);
    return normal !== null && this.#known.has(normal);
  }
}

function normalised(url: string): string | null {
  if (url.length > urlCharsMax) return null;
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  parsed.hash = '';
  return parsed.href;
}

function withoutPunctuation(url: string): string {
  let end = url.length;
  while (end > 0 && '.,;:!?*_'.includes(url.charAt(end - 1))) end--;
  return url.slice(0, end);
}
