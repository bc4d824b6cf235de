import { setMaxListeners } from 'node:events';

import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import {
  Verification,
  verifierLimits,
  type JudgedSentence,
} from '../../src/features/verification/verifier.ts';
import { alterationKinds } from './alterations.ts';
import type { Claim, Pairs } from './pairs.ts';

export interface KindMeasures {
  readonly pairs: number;
  /** Of altered ones against their untouched originals, and against what was reworded. */
  readonly auroc: number;
  readonly aurocReworded: number;
  /** Share of altered ones that are marked. */
  readonly marked: number;
}

export interface PairMeasures extends KindMeasures {
  readonly byKind: Readonly<Record<string, KindMeasures>>;
  /** Share of true sentences that are marked. */
  readonly markedUntouched: number;
  readonly markedReworded: number;
  /** Share of all claims of which the decider was asked. */
  readonly asked: number;
}

/** How well altered sentences are told from true ones, with any decider or none. */
export async function measurePairs(
  { pairs, reworded }: Pairs,
  engine: DecisionEngine | null,
): Promise<PairMeasures> {
  // Null for one that says what sources do not say: it is never marked.
  const judged = new Map<Claim, JudgedSentence | null>();
  const claims = [...pairs.flatMap(({ original, altered }) => [original, altered]), ...reworded];
  for (const claim of claims) judged.set(claim, await judgeClaim(claim, engine));
  const chances = (of: readonly Claim[]) => of.map((claim) => judged.get(claim)?.probability ?? 1);
  const marked = (of: readonly Claim[]) =>
    of.filter((claim) => judged.get(claim)?.isSupported === false).length / Math.max(1, of.length);
  const measure = (own: Pairs['pairs']): KindMeasures => {
    const altered = own.map((pair) => pair.altered);
    return {
      pairs: own.length,
      auroc: auroc(chances(own.map(({ original }) => original)), chances(altered)),
      aurocReworded: auroc(chances(reworded), chances(altered)),
      marked: marked(altered),
    };
  };
  return {
    ...measure(pairs),
    byKind: Object.fromEntries(
      alterationKinds.map((kind) => [kind, measure(pairs.filter((pair) => pair.kind === kind))]),
    ),
    markedUntouched: marked(pairs.map(({ original }) => original)),
    markedReworded: marked(reworded),
    asked: [...judged.values()].filter((one) => one !== null && one.decided !== null).length / claims.length,
  };
}

async function judgeClaim(
  { text, passage }: Claim,
  engine: DecisionEngine | null,
): Promise<JudgedSentence | null> {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const verification = new Verification(
    engine,
    { account: '', signal },
    { ...verifierLimits, timeoutMs: 60_000 },
  );
  const sentence = { text, start: 0, end: text.length, citations: [passage.id], block: 0 };
  const [judged] = await verification.judge([sentence], () => [passage]);
  return judged ?? null;
}

/** How often a true sentence is thought likelier than a false one. */
function auroc(positives: readonly number[], negatives: readonly number[]): number {
  let sum = 0;
  for (const positive of positives)
    for (const negative of negatives) sum += positive > negative ? 1 : positive === negative ? 0.5 : 0;
  return sum / (positives.length * negatives.length);
}
