import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { choiceOf, confidenceOf } from '../src/features/decisions/answer.ts';
import { ask } from '../src/features/decisions/deciders/ask.ts';
import { toDecider, type Stage } from '../src/features/decisions/deciders/decider.ts';
import type { DecisionEngine } from '../src/features/decisions/engine.ts';
import { openEncoderEngine } from '../src/features/decisions/engines/encoder/index.ts';
import { openSystemOneEngine } from '../src/features/decisions/engines/systemone/index.ts';
import { toCases, type Case } from '../src/features/decisions/evaluation/examples.ts';
import { readExamples } from '../src/features/decisions/evaluation/read-examples.ts';
import { createRandom, shuffle } from '../src/features/decisions/evaluation/sample.ts';
import { learn } from '../src/features/decisions/learning/learn.ts';
import { withLearned } from '../src/features/decisions/learning/with-learned.ts';
import { questionKey } from '../src/features/decisions/policy.ts';
import { shareEncoder } from '../src/features/models/feature.ts';
import { startUpstream, type UpstreamHandler } from '../test/support/upstream.ts';
import { printTable, type Row } from './support/table.ts';

/** Shares of right answers of the large engine that stands behind the shipped one. */
const accuracies = [0.75, 0.8, 0.85, 0.9, 0.95];
/** What a cascade may lose against the large engine; half of it is spent where the threshold is found. */
const lossMax = 0.01;
const limits = { inputTokensMax: 262_144 };

/**
 * `npm run bench cascade DATA [ROWS] [EXAMPLES]`: how many calls of a large engine does a cascade save that loses at most a point of
 * its accuracy? The large one is a System One server that answers from a script, right by a fixed share of the rows; its
 * mistakes do not depend on how hard a row is. The threshold is found on one half of BANKING77's test rows and the
 * cascade asked for the other half. With EXAMPLES the shipped one has learned from so many train rows of each label. DATA
 * holds banking77.
 */
export async function run(): Promise<void> {
  const [data = '', rows = '3080', taught = '0'] = process.argv.slice(3);
  const cases = shuffle(readCases(data, 'test'), 1).slice(0, Number(rows));
  const middle = Math.floor(cases.length / 2);
  const [fitted, judged] = [cases.slice(0, middle), cases.slice(middle)];
  const encoder = await openEncoderEngine({ openEncoder: shareEncoder(), isAuto: false });
  const { signal } = new AbortController();
  const small = await taughtBy(encoder, readCases(data, 'train'), Number(taught), signal);
  const first: Stage = { name: 'encoder', engine: small, confidence: {} };
  const points: { readonly confidence: number; readonly isRight: boolean }[] = [];
  for (const { state, question, right } of fitted) {
    const [p = []] = await small.score(state, [question], signal);
    const names = question.options.map(({ name }) => name);
    points.push({ confidence: confidenceOf('choice', p), isRight: choiceOf(names, p) === right });
  }
  const table: Row[] = [];
  for (const accuracy of accuracies) {
    const threshold = thresholdFor(points, accuracy);
    const closers: (() => unknown)[] = [];
    const upstream = await startUpstream(
      { after: (close) => void closers.push(close) },
      scripted(judged, accuracy),
    );
    const servers = [{ url: upstream.url, key: null, model: 'large' }];
    const large = await openSystemOneEngine({ upstreams: servers, timeoutMs: 60_000 });
    const stages = [
      { ...first, confidence: { choice: threshold } },
      { name: 'large', engine: large, confidence: {} },
    ] as const;
    const cascade = toDecider('cascade', stages, [], { abstain: {}, maxError: null });
    let right = 0;
    for (const one of judged) {
      const decision = await ask(cascade, limits, one.state, [one.question], signal, { maxError: null });
      right += Number(chosenOf(one, decision.distributions[0] ?? []) === one.right);
    }
    const alone = judged.filter((one) => scriptedChoice(one, accuracy) === one.right).length / judged.length;
    const calls = upstream.requests.length;
    table.push([
      alone.toFixed(3),
      threshold.toFixed(3),
      (right / judged.length).toFixed(3),
      (alone - right / judged.length).toFixed(3),
      calls,
      (calls / judged.length).toFixed(3),
    ]);
    await large.close();
    for (const close of closers.toReversed()) await close();
  }
  await encoder.close();
  const head = ['large alone', 'threshold', 'cascade', 'lost', 'calls', 'share of calls'];
  const about = `encoder with ${taught} examples a label before a large engine`;
  printTable(`${about}, ${judged.length} rows of BANKING77`, head, table);
}

function readCases(data: string, part: 'train' | 'test'): readonly Case[] {
  const path = join(data, 'banking77', `${part}.csv`);
  return toCases(readExamples(readFileSync(path), path, { split: part, outside: false }).examples);
}

async function taughtBy(
  engine: DecisionEngine,
  train: readonly Case[],
  count: number,
  signal: AbortSignal,
): Promise<DecisionEngine> {
  const { features } = engine;
  const byLabel = Map.groupBy(train, ({ right }) => right);
  const cases = [...byLabel.values()].flatMap((own) => shuffle(own, 1).slice(0, count));
  const [first] = cases;
  if (features === undefined || first === undefined) return engine;
  const { head } = await learn(engine, features, cases, signal);
  if (head === null) throw new Error('nothing was learned');
  return withLearned(engine, new Map([[questionKey(first.question), head]]));
}

function chosenOf({ question }: Case, distribution: readonly number[]): number {
  return choiceOf(
    question.options.map(({ name }) => name),
    distribution,
  );
}

/** The lowest confidence at which what is answered costs at most half of what may be lost. */
function thresholdFor(
  points: readonly { readonly confidence: number; readonly isRight: boolean }[],
  accuracy: number,
): number {
  const sorted = points.toSorted((one, other) => other.confidence - one.confidence);
  let [right, threshold] = [0, 1];
  for (const [index, { confidence, isRight }] of sorted.entries()) {
    right += Number(isRight);
    const lost = ((index + 1) * accuracy - right) / sorted.length;
    if (lost <= lossMax / 2) threshold = confidence;
  }
  return threshold;
}

/** Right for a share of the rows, else the option after it: the same for a row however often it is asked. */
function scriptedChoice({ source, right, question }: Case, accuracy: number): number {
  const seed = [...source].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) | 0, 7);
  return createRandom(seed)() < accuracy ? right : (right + 1) % question.options.length;
}

function scripted(cases: readonly Case[], accuracy: number): UpstreamHandler {
  const answers = new Map(
    cases.map((one) => [one.state.text, one.question.options[scriptedChoice(one, accuracy)]?.name]),
  );
  return ({ body }) => {
    const { model, state, questions } = body as unknown as {
      readonly model: string;
      readonly state: string;
      readonly questions: Readonly<Record<string, { readonly criteria: object }>>;
    };
    const answered = Object.entries(questions).map(([name, { criteria }]) => {
      const choice = answers.get(state);
      const probabilities = Object.fromEntries(
        Object.keys(criteria).map((option) => [option, Number(option === choice)]),
      );
      return [name, { type: 'choice', choice, confidence: 1, probabilities }];
    });
    return {
      json: { model, answers: Object.fromEntries(answered), usage: { input_tokens: 1, output_tokens: 1 } },
    };
  };
}
