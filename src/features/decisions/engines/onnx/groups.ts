import { normalise } from '../../order.ts';

export interface GroupLimits {
  readonly optionsMax: number;
  readonly tokensMax: number;
}

/**
 * Options in as few groups of even size as keep the limits, in their order. Any two options have to keep them; else an
 * option may stand alone.
 */
export function groupsOf(
  tokens: readonly number[],
  { optionsMax, tokensMax }: GroupLimits,
): readonly (readonly number[])[] {
  const places = tokens.map((_, place) => place);
  for (let count = Math.ceil(places.length / optionsMax); count < places.length; count++) {
    const groups = Array.from({ length: count }, (_, index) =>
      places.slice(
        Math.floor((index * places.length) / count),
        Math.floor(((index + 1) * places.length) / count),
      ),
    );
    const sizes = groups.map((group) => group.reduce((sum, place) => sum + (tokens[place] ?? 0), 0));
    if (sizes.every((size) => size <= tokensMax)) return groups;
  }
  return places.map((place) => [place]);
}

/**
 * Probabilities of options that do not fit one row: asked in groups, and the winners of the groups once more against each
 * other. An option relates to the winner of its group as it did there, and winners to each other as in the last round.
 */
export async function askInGroups(
  tokens: readonly number[],
  limits: GroupLimits,
  ask: (places: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  const rounds = async (places: readonly number[]): Promise<readonly number[]> => {
    const groups = groupsOf(
      places.map((place) => tokens[place] ?? 0),
      limits,
    ).map((group) => group.map((at) => places[at] ?? 0));
    if (groups.length <= 1 || groups.length === places.length) return ask(places);
    const asked = [];
    for (const group of groups) asked.push(group.length === 1 ? [1] : await ask(group));
    const best = asked.map((found) => found.indexOf(Math.max(...found)));
    const winners = await rounds(groups.map((group, index) => group[best[index] ?? 0] ?? 0));
    return normalise(
      asked.flatMap((found, index) => {
        const share = (winners[index] ?? 0) / (found[best[index] ?? 0] ?? 1);
        return found.map((probability) => probability * share);
      }),
    );
  };
  return rounds(tokens.map((_, place) => place));
}
