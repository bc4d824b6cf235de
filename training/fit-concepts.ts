import { readFileSync, writeFileSync } from 'node:fs';
import { ownAccount } from '../src/kernel/kit/caller.ts';
import { shareEncoder } from '../src/features/models/feature.ts';
import { concepts } from '../src/features/decisions/engines/encoder/concept-words.ts';
import { parseQuestions } from './decider/asked.ts';
import { minimise } from './optimise.ts';

/** Texts of `concepts.txt` and `questions.txt` with how much they have of a concept, from 0 to 1. */
interface Graded {
  readonly text: string;
  readonly grade: number;
  readonly weight: number;
}

const highest = 3;
/** Texts of questions are on one side or the other, and not how far. */
const sides = { yes: 0.9, no: 0.05 };
/** Concepts for which an ordinary text is not at the lowest grade. */
const neutralGrades: ReadonlyMap<string, number | null> = new Map([
  ['satisfaction', 0.5],
  ['seniority', null],
  ['resolved', null],
  ['howto', null],
]);
/** What a text of another block has nothing of, with the blocks of which that cannot be said. */
const rare: ReadonlyMap<string, readonly string[]> = new Map([
  ['spam', ['phishing']],
  ['phishing', ['spam', 'security']],
  ['threat', ['toxicity', 'anger', 'escalation']],
  ['toxicity', ['anger', 'threat', 'escalation']],
  ['security', ['phishing', 'severity', 'urgency']],
  ['bug', ['severity', 'security', 'urgency', 'anger', 'resolved', 'complaint', 'outage']],
  ['howto', ['urgency']],
  ['outage', ['urgency', 'severity', 'bug', 'security', 'anger', 'resolved']],
  ['escalation', ['anger', 'complaint', 'urgency', 'toxicity', 'threat']],
  ['salesinquiry', ['urgency', 'spam', 'howto', 'neutral']],
  ['featurerequest', ['urgency', 'bug', 'security']],
]);
/** Squared weights count so much: the best of four on texts left out. */
const decay = 0.005;
const folds = 6;
/** Factors on the log odds, of which the best on texts left out is taken. */
const scales = [0.7, 1, 1.5, 2, 2.5];

const [target = 'src/features/decisions/engines/encoder/concepts.json'] = process.argv.slice(2);
const blocks = parseGrades(readFileSync(new URL('decider/concepts.txt', import.meta.url), 'utf8'));
const questions = parseQuestions(readFileSync(new URL('decider/questions.txt', import.meta.url), 'utf8'));
const vectors = await encodeAll();
const fitted: Record<string, { readonly bias: number; readonly weights: readonly number[] }> = {};
for (const { name, questions: asked } of concepts) {
  const rows = rowsOf(name, asked);
  const { bias, weights } = fit(rows);
  const { auroc, scale, loss } = heldOut(rows);
  console.log(
    `${name}: ${rows.length} texts; left out: AUROC ${auroc.toFixed(3)}, log loss ${loss.toFixed(3)}, scale ${scale}`,
  );
  fitted[name] = { bias: round(scale * bias), weights: Array.from(weights, (value) => round(scale * value)) };
}
writeFileSync(target, `${JSON.stringify(fitted)}\n`);

function parseGrades(text: string): ReadonlyMap<string, readonly (readonly [grade: number, text: string])[]> {
  return new Map(
    text
      .split(/^# /m)
      .slice(1)
      .map((block) => {
        const [name = '', ...lines] = block.trim().split('\n');
        const rows = lines.map((line) => {
          const [grade = ''] = line.split(' ', 1);
          return [Number(grade) / highest, line.slice(grade.length + 1)] as const;
        });
        return [name, rows] as const;
      }),
  );
}

function rowsOf(name: string, asked: readonly string[]): readonly Graded[] {
  const own = (blocks.get(name) ?? []).map(([grade, text]) => ({ text, grade, weight: 1 }));
  const ofQuestions = questions
    .filter((question) => asked.includes(question.name))
    .flatMap(({ yes, no }) => [
      ...yes.map((text) => ({ text, grade: sides.yes, weight: 0.5 })),
      ...no.map((text) => ({ text, grade: sides.no, weight: 0.5 })),
    ]);
  const neutral = neutralGrades.get(name) === undefined ? 0 : (neutralGrades.get(name) ?? null);
  const others =
    neutral === null
      ? []
      : (blocks.get('neutral') ?? []).map(([, text]) => ({ text, grade: neutral, weight: 0.5 }));
  const apart = rare.get(name);
  const elsewhere =
    apart === undefined
      ? []
      : [...blocks]
          .filter(([block]) => block !== name && block !== 'neutral' && !apart.includes(block))
          .flatMap(([, texts]) => texts.map(([, text]) => ({ text, grade: 0, weight: 0.2 })));
  return [...own, ...ofQuestions, ...others, ...elsewhere];
}

async function encodeAll(): Promise<ReadonlyMap<string, Float32Array>> {
  const texts = [
    ...[...blocks.values()].flat().map(([, text]) => text),
    ...questions.flatMap(({ yes, no }) => [...yes, ...no]),
  ];
  const encoder = await shareEncoder()();
  const { signal } = new AbortController();
  const rows = await encoder.tokenize(
    texts.map((text) => ({ text, pair: null })),
    signal,
    ownAccount,
  );
  const found = await encoder.run(rows, signal, ownAccount);
  await encoder.close();
  return new Map(texts.map((text, index) => [text, found[index] ?? new Float32Array()]));
}

/** Log odds of the grade, linear in the vector; rows on either side of the middle count as much as the others. */
function fit(rows: readonly Graded[]): { readonly bias: number; readonly weights: Float64Array } {
  const x = rows.map(({ text }) => vectors.get(text) ?? new Float32Array());
  const size = x[0]?.length ?? 0;
  const sum = (isHigh: boolean) =>
    rows.reduce((all, { grade, weight }) => all + (isHigh === grade > 0.5 ? weight : 0), 0);
  const [ofLow, ofHigh] = [1 / sum(false), 1 / sum(true)];
  const { at } = minimise(
    new Float64Array(size + 1),
    (now, gradient) => {
      let loss = 0;
      for (const [index, { grade, weight }] of rows.entries()) {
        const z = logit(now, x[index] ?? new Float32Array());
        const p = 1 / (1 + Math.exp(-z));
        const share = (weight * (grade > 0.5 ? ofHigh : ofLow)) / 2;
        loss -= share * (grade * Math.log(p) + (1 - grade) * Math.log(1 - p));
        for (let i = 0; i < size; i++)
          gradient[i] = (gradient[i] ?? 0) + share * (p - grade) * (x[index]?.[i] ?? 0);
        gradient[size] = (gradient[size] ?? 0) + share * (p - grade);
      }
      for (let i = 0; i < size; i++) {
        loss += (decay / 2) * (now[i] ?? 0) ** 2;
        gradient[i] = (gradient[i] ?? 0) + decay * (now[i] ?? 0);
      }
      return loss;
    },
    300,
    0.1,
  );
  return { bias: at[size] ?? 0, weights: at.slice(0, size) };
}

function logit(at: Float64Array, vector: Float32Array): number {
  let sum = at[vector.length] ?? 0;
  for (let i = 0; i < vector.length; i++) sum += (at[i] ?? 0) * (vector[i] ?? 0);
  return sum;
}

/** What each row is worth when it is judged by what was fitted without its fold. */
function heldOut(rows: readonly Graded[]): {
  readonly auroc: number;
  readonly scale: number;
  readonly loss: number;
} {
  const scored = Array.from({ length: folds }, (_, fold) => {
    const { bias, weights } = fit(rows.filter((_row, index) => index % folds !== fold));
    const at = Float64Array.from([...weights, bias]);
    return rows
      .filter((row, index) => index % folds === fold && row.weight === 1)
      .map(({ text, grade }) => ({ z: logit(at, vectors.get(text) ?? new Float32Array()), grade }));
  }).flat();
  const high = scored.filter((row) => row.grade > 0.5);
  const low = scored.filter((row) => row.grade < 0.5);
  const wins = high.reduce((sum, a) => sum + low.filter((b) => a.z > b.z).length, 0);
  const losses = scales.map((scale) => ({ scale, loss: lossOf(scored, scale) }));
  const best = losses.reduce((a, b) => (b.loss < a.loss ? b : a));
  return { auroc: wins / (high.length * low.length), ...best };
}

function lossOf(scored: readonly { readonly z: number; readonly grade: number }[], scale: number): number {
  const losses = scored.map(({ z, grade }) => {
    const p = 1 / (1 + Math.exp(-scale * z));
    return -grade * Math.log(p) - (1 - grade) * Math.log(1 - p);
  });
  return losses.reduce((a, b) => a + b, 0) / losses.length;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
