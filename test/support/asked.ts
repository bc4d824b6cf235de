import assert from 'node:assert/strict';
import type { Distribution, NormalizedQuestion, State } from '../../src/features/decisions/engine.ts';

export const never = new AbortController().signal;
export const stateOf = (text: string): State => ({ entry: text, text, images: [] });

export const choiceOf = (
  question: string,
  options: Readonly<Record<string, string>>,
): NormalizedQuestion => ({
  kind: 'choice',
  question,
  options: Object.entries(options).map(([name, description]) => ({ name, description })),
});

export const noulOf = (question: string, yes: string, no: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: [
    { name: 'true', description: yes },
    { name: 'false', description: no },
  ],
});

export const scoreOf = (question: string, levels: readonly string[]): NormalizedQuestion => ({
  kind: 'score',
  question,
  options: levels.map((description, index) => ({ name: String(index), description })),
});

/** Equal to what single precision keeps. */
export function isNear(found: Distribution | undefined, expected: readonly number[]): void {
  assert.equal(found?.length, expected.length);
  for (const [index, value] of expected.entries())
    assert.ok(
      Math.abs((found?.[index] ?? Number.NaN) - value) < 1e-4,
      `${found?.join()} is not ${expected.join()}`,
    );
}

export function softmax(logits: readonly number[], temperature = 1): readonly number[] {
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp((logit - highest) / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

export const meanOf = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((one, index) => (one + (b[index] ?? 0)) / 2);
