import { openSharedWords } from '../../shared-words.ts';

/** A window that is read for a question. */
export interface ReadWindow {
  readonly text: string;
  /** Weight of its shared words, above zero: how likely it is that this window speaks of the question. */
  readonly relevance: number;
}

/**
 * Chooses among the windows of a state by the words that they share with a question: as many as are read for it, in order.
 */
export function openRelevance(windows: readonly string[]) {
  const [only = '', ...others] = windows;
  if (others.length === 0) return (): readonly ReadWindow[] => [{ text: only, relevance: 1 }];
  const sharedWith = openSharedWords(windows);
  return (texts: readonly string[], most: number): readonly ReadWindow[] => {
    const shared = sharedWith(texts);
    const highest = Math.max(...shared);
    return windows
      .map((text, index) => ({ text, index, relevance: Math.exp((shared[index] ?? 0) - highest) }))
      .toSorted((a, b) => b.relevance - a.relevance || a.index - b.index)
      .slice(0, most)
      .toSorted((a, b) => a.index - b.index)
      .map(({ text, relevance }) => ({ text, relevance }));
  };
}
