import { splitName } from '../../src/kernel/kit/words.ts';
import { shuffle } from '../../src/features/decisions/evaluation/sample.ts';

/** Where texts come from: who made them, at which commit or version, and what allows their use. */
export interface Origin {
  readonly name: string;
  readonly source: string;
  readonly licence: string;
}

/** Texts with a label each, and the ways in which each label may be said. */
export interface Pool extends Origin {
  readonly labels: readonly (readonly string[])[];
  readonly rows: readonly (readonly [text: string, label: number])[];
}

/** A statement on a text: how its opposite is said, where that is known, and how much of it holds. */
export type Claim = readonly [state: string, statement: string, opposite: string | null, truth: number];

export interface Claims extends Origin {
  readonly claims: readonly Claim[];
}

/** A pool of rows whose labels are written as names; labels with fewer than `rowsMin` texts are left out. */
export function toPool(
  origin: Origin,
  rows: readonly (readonly [text: string, label: string])[],
  limits: { readonly perLabel: number; readonly rowsMin?: number },
  saidAs: (label: string) => readonly string[] = (label) => [splitName(label).toLowerCase()],
): Pool {
  const texts = Map.groupBy(shuffle(rows, 7), ([, label]) => label);
  const names = [...texts.keys()]
    .filter((name) => (texts.get(name)?.length ?? 0) >= (limits.rowsMin ?? 1))
    .sort();
  return {
    ...origin,
    labels: names.map(saidAs),
    rows: names.flatMap((name, label) =>
      (texts.get(name) ?? []).slice(0, limits.perLabel).map(([text]) => [text, label] as const),
    ),
  };
}
