/** A response of `POST /v1/decisions`. */
export interface Decision {
  readonly model: string;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** What a decider with a policy says beside an answer. */
interface Verdict {
  readonly abstained?: boolean;
  readonly decided_by?: string;
}

export type Answer = Verdict & Likely;

type Likely =
  | { readonly type: 'noul'; readonly noul: number }
  | {
      readonly type: 'choice';
      readonly choice: string;
      readonly confidence: number;
      readonly probabilities: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'score';
      readonly score: number;
      readonly confidence: number;
      readonly legend: Readonly<Record<string, unknown>>;
      readonly probabilities: Readonly<Record<string, number>>;
    };

/** One possible answer. */
export interface Bar {
  readonly key: string;
  readonly label: string;
  /** 0 to 1. */
  readonly probability: number;
}

/** What stands above the bars of one question. */
export interface Headline {
  /** The likeliest answer: `key` of its bar. */
  readonly winner: string;
  readonly label: string;
  /** The mean level; null for other kinds. */
  readonly score: number | null;
  /** 0 to 1; a noul has none. */
  readonly confidence: number | null;
}

/** Options from the likeliest down; yes before no; levels from the lowest up. */
export function toBars(answer: Answer): readonly Bar[] {
  switch (answer.type) {
    case 'noul':
      return [
        { key: 'yes', label: 'yes', probability: answer.noul },
        { key: 'no', label: 'no', probability: 1 - answer.noul },
      ];
    case 'choice':
      return Object.entries(answer.probabilities)
        .map(([name, probability]) => ({ key: name, label: name, probability }))
        .sort((one, other) => other.probability - one.probability);
    case 'score':
      return Object.entries(answer.probabilities).map(([level, probability]) => ({
        key: level,
        label: `${level}: ${textOf(answer.legend[level])}`,
        probability,
      }));
  }
}

export function toHeadline(answer: Answer): Headline {
  const bars = toBars(answer);
  const likeliest = bars.reduce((best, bar) => (bar.probability > best.probability ? bar : best));
  switch (answer.type) {
    case 'noul':
      return { winner: likeliest.key, label: likeliest.label, score: null, confidence: null };
    case 'choice':
      return { winner: answer.choice, label: answer.choice, score: null, confidence: answer.confidence };
    case 'score':
      return {
        winner: likeliest.key,
        label: likeliest.label,
        score: answer.score,
        confidence: answer.confidence,
      };
  }
}

/** How two answers to one question differ. */
export interface Difference {
  readonly agrees: boolean;
  /** Of the answer whose probability differs most. */
  readonly label: string;
  /** Probability of the second engine minus that of the first. */
  readonly change: number;
}

export function toDifference(first: Answer, second: Answer): Difference {
  const others = new Map(toBars(second).map(({ key, probability }) => [key, probability]));
  const changes = toBars(first).map(({ key, label, probability }) => ({
    label,
    change: (others.get(key) ?? 0) - probability,
  }));
  const largest = changes.reduce((most, one) => (Math.abs(one.change) > Math.abs(most.change) ? one : most));
  return { agrees: toHeadline(first).winner === toHeadline(second).winner, ...largest };
}

/** The difference over all questions that both answered; null without any. */
export function toDifferences(
  first: Decision,
  second: Decision,
): {
  readonly agreed: number;
  readonly asked: number;
  readonly largest: Difference & { readonly name: string };
} | null {
  const all = Object.entries(first.answers).flatMap(([name, answer]) => {
    const other = second.answers[name];
    return other === undefined ? [] : [{ name, ...toDifference(answer, other) }];
  });
  if (all.length === 0) return null;
  const largest = all.reduce((most, one) => (Math.abs(one.change) > Math.abs(most.change) ? one : most));
  return { agreed: all.filter(({ agrees }) => agrees).length, asked: all.length, largest };
}

function textOf(level: unknown): string {
  return typeof level === 'string' ? level : JSON.stringify(level);
}
