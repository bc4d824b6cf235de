/**
 * Fits the baseline decider's coefficients and reports on label sets that the reported fit never saw.
 * Usage: node training/fit-baseline.ts DATA_FOLDER [--write]. Takes about a minute on one core; seeded.
 *
 * Three fits: on CLINC150 (reported on BANKING77), on BANKING77 (reported on CLINC150), and on both, which is
 * what `--write` ships. Coefficients weigh 16 features, so that they can match but not memorise labels.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { format } from 'prettier';

import {
  coefficients as shipped,
  type Coefficients,
} from '../src/decisions/engines/baseline/coefficients.ts';
import { decide } from '../src/decisions/engines/baseline/decide.ts';
import { createLikenesses, featureNames } from '../src/decisions/engines/baseline/features.ts';
import {
  noulInput,
  optionInputs,
  type NoulInput,
  type OptionInput,
} from '../src/decisions/engines/baseline/inputs.ts';
import { createLexemes } from '../src/decisions/engines/baseline/lexeme.ts';
import { readMaterial } from '../src/decisions/engines/baseline/material.ts';
import { loadWordVectors } from '../src/kit/word-vectors.ts';
import { readDataSets, type DataSet } from './data.ts';
import { choiceExamples, feelingExamples, noulExamples, wholeChoices, type Example } from './examples.ts';
import { placed, scales } from './messages.ts';
import { auroc, report, type Outcome } from './metrics.ts';
import { minimise } from './optimise.ts';

const vectors = loadWordVectors();
const features = featureNames.length;
const mismatchAt = featureNames.indexOf('mismatch');
/** How often the few hand-written messages count against one public example. */
const messageWeight = 5;
const decay = 2e-4;

function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function noulRow(example: Example): NoulInput {
  const lexemes = createLexemes(vectors);
  const likenesses = createLikenesses(finish(readMaterial(example.state, lexemes)), lexemes);
  return finish(noulInput(example.view, lexemes, likenesses));
}

function choiceRows(example: Example): readonly OptionInput[] {
  const lexemes = createLexemes(vectors);
  const likenesses = createLikenesses(finish(readMaterial(example.state, lexemes)), lexemes);
  return finish(optionInputs(example.view, lexemes, likenesses));
}

/** Parameters: weights, bias, topical mismatch. */
function fitNoul(
  examples: readonly { readonly example: Example; readonly weight: number }[],
): Coefficients['noul'] {
  const rows = examples.map(({ example, weight }) => ({
    ...noulRow(example),
    truth: 1 - example.right,
    weight,
  }));
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const { at, loss } = minimise(new Float64Array(features + 2), (w, gradient) => {
    let loss = 0;
    for (const { row, sign, topical, truth, weight } of rows) {
      const inputs = [...row, 1, topical ? (row[mismatchAt] ?? 0) : 0];
      const logit = sign * inputs.reduce((sum, x, i) => sum + x * (w[i] ?? 0), 0);
      const p = 1 / (1 + Math.exp(-logit));
      loss -= (weight / total) * Math.log(Math.max(1e-12, truth === 1 ? p : 1 - p));
      inputs.forEach(
        (x, i) => (gradient[i] = (gradient[i] ?? 0) + (weight / total) * (p - truth) * sign * x),
      );
    }
    return loss + shrink(w, gradient);
  });
  console.log(`  noul: ${rows.length} rows, loss ${loss.toFixed(4)}`);
  return {
    bias: at[features] ?? 0,
    weights: Array.from(at.subarray(0, features)),
    topicalMismatch: at[features + 1] ?? 0,
  };
}

/** Parameters: weights, remainder, power of n. */
function fitChoice(examples: readonly Example[]): Coefficients['choice'] {
  const rows = examples.map((example) => ({ inputs: choiceRows(example), right: example.right }));
  const start = new Float64Array(features + 2).fill(1);
  start[features + 1] = 0;
  const { at, loss } = minimise(
    start,
    (w, gradient) => {
      let loss = 0;
      for (const { inputs, right } of rows) {
        const sharpness = inputs.length ** (w[features + 1] ?? 0);
        const scores = inputs.map(({ role, row }) =>
          role === 'remainder' ? (w[features] ?? 0) : row.reduce((sum, x, i) => sum + x * (w[i] ?? 0), 0),
        );
        const greatest = Math.max(...scores);
        const powers = scores.map((score) => Math.exp(sharpness * (score - greatest)));
        const sum = powers.reduce((a, b) => a + b, 0);
        inputs.forEach(({ role, row }, o) => {
          const p = (powers[o] ?? 0) / sum;
          const slope = (p - (o === right ? 1 : 0)) / rows.length;
          if (o === right) loss -= Math.log(Math.max(1e-12, p)) / rows.length;
          if (role === 'remainder') gradient[features] = (gradient[features] ?? 0) + slope * sharpness;
          else row.forEach((x, i) => (gradient[i] = (gradient[i] ?? 0) + slope * sharpness * x));
          const power = slope * sharpness * Math.log(inputs.length) * (scores[o] ?? 0);
          gradient[features + 1] = (gradient[features + 1] ?? 0) + power;
        });
      }
      return loss + shrink(w, gradient);
    },
    400,
  );
  console.log(`  choice: ${rows.length} rows, loss ${loss.toFixed(4)}`);
  const weights = Array.from(at.subarray(0, features));
  return { weights, remainder: at[features] ?? 0, sharpnessPower: at[features + 1] ?? 0 };
}

function shrink(w: Float64Array, gradient: Float64Array): number {
  let loss = 0;
  for (let i = 0; i < features; i++) {
    loss += (decay / 2) * (w[i] ?? 0) ** 2;
    gradient[i] = (gradient[i] ?? 0) + decay * (w[i] ?? 0);
  }
  return loss;
}

function fit(sets: readonly DataSet[]): Coefficients {
  const share = 1 / sets.length;
  const nouls = sets.flatMap((set, i) => noulExamples(set, set.train, 6000 * share, 11 + i));
  const choices = sets.flatMap((set, i) => choiceExamples(set, set.train, 4000 * share, 21 + i));
  const weighted = [
    ...nouls.map((example) => ({ example, weight: 1 })),
    ...feelingExamples(true).map((example) => ({ example, weight: messageWeight })),
  ];
  return { noul: fitNoul(weighted), choice: fitChoice(choices) };
}

function outcomes(examples: readonly Example[], coefficients: Coefficients): Outcome[] {
  return examples.map(({ state, view, right }) => {
    const [probabilities = []] = finish(decide(state, [view], vectors, coefficients));
    return { probabilities, right };
  });
}

function line(name: string, found: readonly Outcome[], noul: boolean): void {
  const { count, accuracy, nll, ece } = report(found);
  const area = noul ? ` AUROC ${auroc(found).toFixed(3)}` : '';
  const figures = `accuracy ${accuracy.toFixed(3)} NLL ${nll.toFixed(3)} ECE ${ece.toFixed(3)}`;
  console.log(`  ${name}: n=${count} ${figures}${area}`);
}

function tell(set: DataSet, coefficients: Coefficients): void {
  const whole = wholeChoices(set, set.test, 3);
  line(`${set.name}, all ${set.labels.length} names`, outcomes(whole, coefficients), false);
  line(`${set.name}, 2 to 80 names`, outcomes(choiceExamples(set, set.test, 1500, 31), coefficients), false);
  line(`${set.name}, is it about X`, outcomes(noulExamples(set, set.test, 2000, 41), coefficients), true);
}

function tellMessages(coefficients: Coefficients): void {
  line('messages, not fitted on', outcomes(feelingExamples(false), coefficients), true);
  for (const { text, scale, place } of placed) {
    const { question, levels } = scales[scale];
    const options = levels.map((description, i) => ({ name: String(i), description }));
    const [p = []] = finish(decide(text, [{ kind: 'score', question, options }], vectors, coefficients));
    const mean = p.reduce((sum, x, i) => sum + (x * i) / (levels.length - 1), 0);
    console.log(`  ${scale} ${place.toFixed(2)} -> ${mean.toFixed(2)}  ${text}`);
  }
}

function rounded(coefficients: Coefficients): Coefficients {
  const round = (value: number): number => Number(value.toFixed(4));
  const { noul, choice } = coefficients;
  return {
    noul: {
      bias: round(noul.bias),
      weights: noul.weights.map(round),
      topicalMismatch: round(noul.topicalMismatch),
    },
    choice: {
      weights: choice.weights.map(round),
      remainder: round(choice.remainder),
      sharpnessPower: round(choice.sharpnessPower),
    },
  };
}

async function write(coefficients: Coefficients): Promise<void> {
  const target = new URL('../src/decisions/engines/baseline/coefficients.json', import.meta.url);
  writeFileSync(
    target,
    await format(JSON.stringify(coefficients, null, 2), { parser: 'json', printWidth: 110 }),
  );
  console.log(`written: ${fileURLToPath(target)}`);
}

if (import.meta.main) {
  const [folder, flag] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: fit-baseline.ts DATA_FOLDER [--write]');
  const { clinc, banking } = readDataSets(folder);
  console.log('fitted on clinc150, never saw banking77:');
  tell(banking, fit([clinc]));
  console.log('fitted on banking77, never saw clinc150:');
  tell(clinc, fit([banking]));
  console.log('fitted on both (shipped with --write):');
  const both = rounded(fit([clinc, banking]));
  featureNames.forEach((name, i) =>
    console.log(`  ${name}: noul ${both.noul.weights[i]} choice ${both.choice.weights[i]}`),
  );
  console.log(
    `  noul bias ${both.noul.bias}, remainder ${both.choice.remainder}, power ${both.choice.sharpnessPower}`,
  );
  tellMessages(both);
  console.log('  as committed:');
  tellMessages(shipped);
  if (flag === '--write') await write(both);
}
