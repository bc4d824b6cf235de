import { Type, type Static } from 'typebox';
import { type DecisionEngine, type Distribution, type NormalizedQuestion, rescore } from './engine.ts';
import { digestOf } from './fingerprint.ts';
import { normalise } from './order.ts';
import { Strict } from '../../kernel/kit/schema.ts';

/** `T(n) = max(min, a + b ln n)` for n options. `b = 0` is one temperature for all. */
const Temperature = Strict({ min: Type.Number({ exclusiveMinimum: 0 }), a: Type.Number(), b: Type.Number() });
export type Temperature = Static<typeof Temperature>;

const Figures = Strict({
  examples: Type.Integer({ minimum: 1 }),
  accuracy: Type.Number({ minimum: 0, maximum: 1 }),
  nll: Type.Number({ minimum: 0 }),
  ece: Type.Number({ minimum: 0, maximum: 1 }),
});

/** Between these label masses are counted, as the metric has them: most of a model that understands lie above 0.9. */
const bounds = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99] as const;

/** Counts of label masses that a file of `nestor calibrate` holds. */
const massCells: number = bounds.length + 1;

/** How many label masses lie between two bounds each, from the lowest on. */
export function countMasses(masses: Iterable<number>): number[] {
  const counts = Array.from({ length: massCells }, () => 0);
  for (const mass of masses) {
    const above = bounds.findIndex((bound) => mass <= bound);
    const cell = above < 0 ? bounds.length : above;
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}

/** A file of `nestor calibrate`: temperatures by kind, the engine and prompt of the fit, and its figures. */
export const Calibration = Strict({
  version: Type.Literal(1),
  engine: Type.String(),
  promptVersion: Type.Integer(),
  fittedAt: Type.String(),
  temperatures: Strict({ noul: Temperature, choice: Temperature, score: Temperature }),
  /** Figures on the examples of the fit, after fitting. A drift check compares with them. */
  figures: Figures,
  /** Counts of `countMasses` over what was evaluated for the fit; absent where the engine knows no label mass. */
  labelMass: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0 }), { minItems: massCells, maxItems: massCells }),
  ),
});
export type Calibration = Static<typeof Calibration>;

/** Leaves every probability as it is. */
export const neutralTemperature: Temperature = { min: 1, a: 1, b: 0 };

export function temperatureFor({ min, a, b }: Temperature, options: number): number {
  return Math.max(min, a + b * Math.log(options));
}

/** `softmax(log p / T)`: T above 1 flattens, below 1 sharpens. Order of the probabilities is kept. */
export function temper(distribution: Distribution, temperature: number): Distribution {
  if (temperature === 1) return distribution;
  const highest = Math.max(...distribution);
  return normalise(distribution.map((p) => (p / highest) ** (1 / temperature)));
}

/** Applies the temperature of each question's kind and size. */
export function withCalibration(
  engine: DecisionEngine,
  temperatures: Calibration['temperatures'],
): DecisionEngine {
  const tempered = (question: NormalizedQuestion, distribution: Distribution): Distribution =>
    temper(distribution, temperatureFor(temperatures[question.kind], question.options.length));
  return rescore(
    engine,
    { calibration: digestOf(temperatures) },
    async (state, questions, signal, account) => {
      const scored = await engine.score(state, questions, signal, account);
      return questions.map((question, index) => tempered(question, scored[index] ?? []));
    },
  );
}
