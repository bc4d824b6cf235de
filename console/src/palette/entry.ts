/** Something that the palette can go to or do. */
export interface Entry {
  /** Unlike that of any other entry. */
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  /** A few words beside the label, such as the page that a section is of. */
  readonly detail?: string;
  /** Found by these as well; they are not shown. */
  readonly words?: string;
  readonly run: () => void;
}

/** In the order in which they stand. */
export const groups = ['Actions', 'Pages', 'Conversations', 'Documentation', 'Ask'] as const;
export type Group = (typeof groups)[number];

/** So that each group keeps a place in view. */
const shownMax: Readonly<Record<Group, number>> = {
  Actions: 8,
  Pages: 20,
  Conversations: 5,
  Documentation: 8,
  Ask: 2,
};

/**
 * The entries that have every word of what was written, the best of each group first; a group without one is left out. Before
 * anything is written: actions, pages and the latest conversations.
 */
export function findEntries(
  query: string,
  entries: readonly Entry[],
): readonly (readonly [Group, Entry[]])[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const scored = entries.flatMap((entry) => {
    const score = entry.group === 'Ask' ? 1 : scoreOf(entry, words);
    return score === 0 ? [] : [{ entry, score }];
  });
  return groups.flatMap((group) => {
    const own = scored
      .filter(({ entry }) => entry.group === group)
      .sort((one, other) => other.score - one.score)
      .slice(0, shownMax[group])
      .map(({ entry }) => entry);
    return own.length === 0 ? [] : [[group, own] as const];
  });
}

/** How well an entry is what was written; 0 where a word is missing. A beginning counts more than a middle, a label more than the rest. */
function scoreOf({ label, detail = '', words: others = '' }: Entry, words: readonly string[]): number {
  const [title, beside, rest] = [fold(label), fold(detail), fold(others)];
  let sum = 1;
  for (const word of words) {
    const score = Math.max(
      title.startsWith(word) ? 12 : 0,
      hasWord(title, word) ? 10 : 0,
      title.includes(word) ? 6 : 0,
      beside.includes(word) ? 4 : 0,
      rest.includes(word) ? 1 : 0,
    );
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

/** Whether one of the words of a text begins with it. */
const hasWord = (text: string, word: string): boolean =>
  text.split(/[^\p{L}\p{N}]+/u).some((one) => one.startsWith(word));

/** Letters without case and without marks: who looks for `resume` means `Résumé` too. */
function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
