import {
  type DecisionEngine,
  type State,
  type Distribution,
  type NormalizedQuestion,
  rescore,
} from './engine.ts';
import { canonicalOrder, normalise, reorder } from './order.ts';
import { questionKey } from './policy.ts';

/** A state without content. The answer to it shows the bias of an engine. */
const emptyState: State = { entry: 'N/A', text: 'N/A', images: [] };

/** Most priors cached, because services ask the same questions again and again. */
const remembered = 1_024;

/** Lower bound on a prior, below which noise would become certainty. */
const priorMin = 1e-3;

/**
 * Divides each answer by the answer to a state without content (contextual calibration). The prior
 * is taken on options in canonical order and applied by option: one taken per order would bring the order back
 * in. Costs one small state and a suffix for a question that was not asked before, nothing for one that was.
 */
export function withPrior(engine: DecisionEngine): DecisionEngine {
  /** By `questionKey`: a question itself may be a megabyte long. */
  const priors = new Map<string, Distribution>();

  async function priorsOf(
    questions: readonly NormalizedQuestion[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Distribution[]> {
    const keys = questions.map(questionKey);
    const missing = questions.filter((_, index) => !priors.has(keys[index] ?? ''));
    const scored = missing.length === 0 ? [] : await engine.score(emptyState, missing, signal, account);
    const scoredPriors = new Map(
      missing.map((question, index) => [questionKey(question), scored[index] ?? []]),
    );
    const found = keys.map((key) => scoredPriors.get(key) ?? priors.get(key) ?? []);
    // What another engine said in its place is not kept.
    const isOwn = (engine.answeredBy?.(emptyState) ?? engine.name) === engine.name;
    if (isOwn) for (const [key, prior] of scoredPriors) remember(priors, key, prior);
    return found;
  }

  return rescore(engine, { prior: 'on' }, async (state, questions, signal, account) => {
    const scored = await engine.score(state, questions, signal, account);
    // A rule favours nothing: that the empty state holds no address says nothing of others that hold none.
    const open = questions.filter((question) => !(engine.countRuled?.(state, [question]) ?? 0));
    const orders = open.map(canonicalOrder);
    const canonical = open.map((question, index) => reorder(question, orders[index] ?? []));
    const known = open.length === 0 ? [] : await priorsOf(canonical, signal, account);
    return scored.map((distribution, at) => {
      const index = open.findIndex((question) => question === questions[at]);
      if (index < 0) return distribution;
      const prior = new Map(
        (orders[index] ?? []).map((option, place) => [option, known[index]?.[place] ?? 1]),
      );
      return normalise(distribution.map((p, option) => p / Math.max(prior.get(option) ?? 1, priorMin)));
    });
  });
}

function remember(priors: Map<string, Distribution>, key: string, prior: Distribution): void {
  priors.set(key, prior);
  const [oldest] = priors.keys();
  if (priors.size > remembered && oldest !== undefined) priors.delete(oldest);
}
