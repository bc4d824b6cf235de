import { stem } from '../../../../kernel/kit/stem.ts';
import { tokenize } from '../../../../kernel/kit/words.ts';

/** A window that is read for a question. */
export interface ReadWindow {
  readonly text: string;
  /** Weight of its shared words, above zero: how likely it is that this window speaks of the question. */
  readonly relevance: number;
}

/**
 * Chooses among the windows of a state: as many as are read for a question, in order. A word that both share counts by how
 * few windows have it: what every window says does not tell one from the other.
 */
export function openRelevance(windows: readonly string[]) {
  const [only = '', ...others] = windows;
  if (others.length === 0) return (): readonly ReadWindow[] => [{ text: only, relevance: 1 }];
  const words = windows.map(stemsOf);
  const rarity = rarityOf(words);
  return (texts: readonly string[], most: number): readonly ReadWindow[] => {
    const asked = stemsOf(texts.join(' '));
    const shared = words.map((own) =>
      [...own].reduce((sum, word) => sum + (asked.has(word) ? (rarity.get(word) ?? 0) : 0), 0),
    );
    const highest = Math.max(...shared);
    return windows
      .map((text, index) => ({ text, index, relevance: Math.exp((shared[index] ?? 0) - highest) }))
      .toSorted((a, b) => b.relevance - a.relevance || a.index - b.index)
      .slice(0, most)
      .toSorted((a, b) => a.index - b.index)
      .map(({ text, relevance }) => ({ text, relevance }));
  };
}

const stemsOf = (text: string): ReadonlySet<string> => new Set(tokenize(text).map(stem));

/** Of each word, the logarithm of how few windows have it. */
function rarityOf(words: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const own of words) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].map(([word, count]) => [word, Math.log((words.length + 1) / count)]));
}
