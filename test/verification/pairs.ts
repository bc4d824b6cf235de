import { alterationKinds, alterations, reword, type AlterationKind } from './alterations.ts';
import { readPages, toStatements } from './pages.ts';
import type { Passage } from '../../src/features/verification/passages.ts';

/** A sentence that stands in the passage, or one that was made of it, and whether the passage says it. */
export interface Claim {
  readonly kind: 'untouched' | 'reworded' | AlterationKind;
  readonly text: string;
  readonly passage: Passage;
}

export interface Pair {
  readonly kind: AlterationKind;
  readonly original: Claim;
  readonly altered: Claim;
}

export interface Pairs {
  readonly pairs: readonly Pair[];
  /** True as well, in other words. */
  readonly reworded: readonly Claim[];
}

/** Pairs by rule, so many of each kind, and twice as many reworded sentences of the same half of the pages. */
export async function makePairs(half: 'tuning' | 'judged', pairsPerKind = 100): Promise<Pairs> {
  const statements = toStatements(await readPages(half));
  const pairs = alterationKinds.flatMap((kind): readonly Pair[] => {
    const own: Pair[] = [];
    for (const [at, statement] of statements.entries()) {
      if (own.length >= pairsPerKind) break;
      const { text, passage, page } = statement;
      const original: Claim = { kind: 'untouched', text, passage };
      if (kind === 'page') {
        const other = statements[(at * 7 + 13) % statements.length];
        if (other === undefined || other.page === page) continue;
        own.push({ kind, original, altered: { kind, text, passage: other.passage } });
        continue;
      }
      const changed = alterations[kind](statement, own.length);
      if (changed === null || changed === text) continue;
      own.push({ kind, original, altered: { kind, text: changed, passage } });
    }
    return own;
  });
  const reworded = statements.flatMap(({ text, passage }): readonly Claim[] => {
    const said = reword(text);
    return said === null ? [] : [{ kind: 'reworded', text: said, passage }];
  });
  return { pairs, reworded: reworded.slice(0, 2 * pairsPerKind) };
}
