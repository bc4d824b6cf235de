import type { NormalizedQuestion } from '../engine.ts';
import type { Hypothesis } from './hypothesis.ts';
import type { OptionInput } from './inputs.ts';
import type { AnalyzedState } from './analyzed-state.ts';

/** Place of a state on a score's axis when it shows no feeling: low, but not lowest. */
const silentPlace = -0.4;

/** Places of a score's levels by their index (their name), from -1 to 1. A single level is at 0. */
export function levelPositions({ options }: NormalizedQuestion): readonly number[] {
  const indices = options.map(({ name }) => (Number.isFinite(Number(name)) ? Number(name) : 0));
  const [low, high] = [Math.min(...indices), Math.max(...indices)];
  return indices.map((index) => (high === low ? 0 : (2 * (index - low)) / (high - low) - 1));
}

/**
 * Places the state on a score's axis, from -1 to 1. The axis gets its direction from the feelings of the
 * lowest and highest level, or of the question ("how angry") where the levels have none. Without any feeling, the
 * place follows from `logOddsOfYes`: the log-odds that the question's content is in the state.
 */
export function placeOnAxis(
  state: AnalyzedState,
  question: Hypothesis,
  inputs: readonly OptionInput[],
  positions: readonly number[],
  logOddsOfYes: number,
): number {
  const low = inputs[positions.indexOf(-1)];
  const high = inputs[positions.indexOf(1)];
  let valence = (high?.valence ?? 0) - (low?.valence ?? 0);
  let intensity = (high?.intensity ?? 0) - (low?.intensity ?? 0);
  const twoSided = (high?.valence ?? 0) * (low?.valence ?? 0) < 0 || question.valence === 0;
  if (Math.abs(valence) < 0.2 && Math.abs(intensity) < 0.2)
    [valence, intensity] = [question.valence, question.intensity];
  const directed = Math.abs(valence) >= 0.2 || Math.abs(intensity) >= 0.2;
  if (!directed) return Math.tanh(logOddsOfYes / 4);
  const feeling = feelingOf(state);
  const size = Math.abs(valence) + Math.abs(intensity);
  const along = (valence * feeling.valence + intensity * feeling.intensity) / size;
  const rest = twoSided && Math.abs(valence) > Math.abs(intensity) ? 0 : silentPlace;
  return Math.max(-1, Math.min(1, rest + (1 + Math.abs(rest)) * along));
}

/**
 * Places of options that are feelings ("positive", "negative", "neutral") by their valence, the strongest at 1 or
 * -1; null unless feelings of both signs make up at least half of the options.
 */
export function feelingPositions(inputs: readonly OptionInput[]): readonly number[] | null {
  const felt = inputs.filter(({ valence }) => Math.abs(valence) > 0.3);
  const bothSigns = felt.some(({ valence }) => valence > 0) && felt.some(({ valence }) => valence < 0);
  if (!bothSigns || felt.length * 2 < inputs.length) return null;
  const strongest = Math.max(...felt.map(({ valence }) => Math.abs(valence)));
  return inputs.map(({ valence }) => valence / strongest);
}

/** Feeling of the whole state: the mean of its passages, weighted by their strength. */
export function feelingOf({ passages }: AnalyzedState): { valence: number; intensity: number } {
  let [valence, intensity, weight] = [0, 0, 1e-9];
  for (const passage of passages) {
    const strength = Math.abs(passage.valence) + Math.abs(passage.intensity) + 1e-9;
    valence += strength * passage.valence;
    intensity += strength * passage.intensity;
    weight += strength;
  }
  return { valence: valence / weight, intensity: intensity / weight };
}
