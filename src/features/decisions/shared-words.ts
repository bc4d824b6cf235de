import { stem } from '../../kernel/kit/stem.ts';
import { tokenize } from '../../kernel/kit/words.ts';

/**
 * How much each window of a state has in common with texts: the words that both have, each by how few windows have it.
 * What every window says does not tell one from the other.
 */
export function openSharedWords(windows: readonly string[]): (texts: readonly string[]) => readonly number[] {
  const words = windows.map(stemsOf);
  const rarity = rarityOf(words);
  return (texts) => {
    const asked = stemsOf(texts.join(' '));
    return words.map((own) =>
      [...own].reduce((sum, word) => sum + (asked.has(word) ? (rarity.get(word) ?? 0) : 0), 0),
    );
  };
}

const stemsOf = (text: string): ReadonlySet<string> => new Set(tokenize(text).map(stem));

/** Of each word, the logarithm of how few windows have it. */
function rarityOf(words: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const own of words) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].map(([word, count]) => [word, Math.log((words.length + 1) / count)]));
}
