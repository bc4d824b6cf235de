import { type DecisionEngine, type Distribution, type NormalizedQuestion, rescore } from './engine.ts';

/** How many orders of its options a question is asked in: as sent, forwards and backwards, or a set of rotations. */
export type OrderPasses = 1 | 2 | 'n';

/** More rotations than this change an average little and cost a suffix each. */
const rotationsMax = 8;

/**
 * Asks each question in several orders of its options over one state and averages by option. The orders start from
 * one that does not depend on the caller's (names sorted by code point; levels and yes/no as they are), so with
 * two passes or more the order in which options are sent changes nothing at all. Costs a suffix per pass, never
 * a second state.
 */
export function withOrders(engine: DecisionEngine, passes: OrderPasses): DecisionEngine {
  if (passes === 1) return engine;
  const score = scoreInOrders(
    (...asked) => engine.score(...asked),
    (question) => ordersOf(question, passes),
  );
  return rescore(engine, { passes: String(passes) }, score);
}

type Score = DecisionEngine['score'];
/** Index lists: `order[place]` is the option that stands at that place. */
type Orders = readonly (readonly number[])[];

/** Asks each question in the orders of its options that `plan` names, and averages by option. */
export function scoreInOrders(score: Score, plan: (question: NormalizedQuestion) => Orders): Score {
  return async (state, questions, signal, account) => {
    const plans = questions.map(plan);
    const asked = questions.flatMap((question, index) =>
      (plans[index] ?? []).map((order) => reorder(question, order)),
    );
    const scored = (await score(state, asked, signal, account))[Symbol.iterator]();
    return questions.map((question, index) => {
      const sums = new Float64Array(question.options.length);
      const orders = plans[index] ?? [];
      for (const order of orders) {
        const distribution: Distribution = scored.next().value ?? [];
        for (const [place, option] of order.entries()) {
          sums[option] = (sums[option] ?? 0) + (distribution[place] ?? 0) / orders.length;
        }
      }
      return normalise(Array.from(sums));
    });
  };
}

export function ordersOf(question: NormalizedQuestion, passes: OrderPasses): Orders {
  const first = canonicalOrder(question);
  if (passes === 1) return [question.options.map((_, index) => index)];
  // Levels that do not rise or fall make no sense to anybody, and two options have two orders.
  if (passes === 2 || question.kind !== 'choice') return [first, first.toReversed()];
  const count = Math.min(first.length, rotationsMax);
  return Array.from({ length: count }, (_, turn) => {
    const start = Math.floor((turn * first.length) / count);
    return [...first.slice(start), ...first.slice(0, start)];
  });
}

/** An order that does not depend on the order in which the options were sent. */
export function canonicalOrder({ kind, options }: NormalizedQuestion): number[] {
  const indices = options.map((_, index) => index);
  if (kind !== 'choice') return indices;
  const keys = options.map(({ name, description }) => [name, description] as const);
  return indices.sort((a, b) => {
    const [nameA = '', textA = ''] = keys[a] ?? [];
    const [nameB = '', textB = ''] = keys[b] ?? [];
    return compare(nameA, nameB) || compare(textA, textB);
  });
}

export function reorder(question: NormalizedQuestion, order: readonly number[]): NormalizedQuestion {
  const options = order.map((index) => question.options[index]).filter((option) => option !== undefined);
  return { ...question, options };
}

/** Makes the sum 1 again after arithmetic on probabilities. All zero becomes even. */
export function normalise(weights: readonly number[]): Distribution {
  // Summed by size, so that the order of the options does not reach the last bit.
  const total = weights.toSorted((a, b) => a - b).reduce((sum, weight) => sum + weight, 0);
  return total > 0 ? weights.map((weight) => weight / total) : weights.map(() => 1 / weights.length);
}

export function softmax(logits: readonly number[], temperature: number): Distribution {
  const highest = Math.max(...logits);
  return normalise(logits.map((logit) => Math.exp((logit - highest) / temperature)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
